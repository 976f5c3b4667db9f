from __future__ import annotations

from tty_agent.commands.model_choice import model_choice, told


def test_a_trace_is_told_all_settings_but_no_secret() -> None:
    chosen = model_choice(
        "openai:m", base_url="http://h/v1", api_key_env="MY_KEY", extra_body='{"api_key": "hidden", "top_k": 5}'
    )
    assert chosen.extra_body["api_key"] == "hidden"
    shown = told(chosen)
    assert shown["extra_body"] == {"api_key": "***", "top_k": 5}
    assert (shown["base_url"], shown["api_key_env"]) == ("http://h/v1", "MY_KEY")
