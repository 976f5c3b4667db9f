"""Settings: each variable's good and bad values, and the one line that a bad one stops the start with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.config import Address, ArenaSettings, Settings, WrongSetting

DEFAULTS: Final = Settings(
    data=Path("data"),
    database_url="sqlite:///data/agentbbs.db",
    game_ws_addr=Address("127.0.0.1", 8090),
    ssh_addr=Address("127.0.0.1", 2222),
    telnet_addr=Address("127.0.0.1", 2323),
    rlogin_addr=Address("127.0.0.1", 2513),
    web_addr=Address("127.0.0.1", 8080),
    public_url="",
    arena=ArenaSettings(
        deadline_ms=10_000, matches_per_hour=30, ports=((443, 443), (8443, 8443)), dev=False, ca_file=None
    ),
    api_reads_per_minute=600,
    runs=Path("runtime/runs"),
    nodes=32,
    registration="open",
    plaintext_login=False,
    move_timeout_s=15.0,
    queue_wait_s=120.0,
    resume_grace_s=0.0,
    drain_s=10.0,
    trusted_proxies=(),
    log_format="console",
    log_level="info",
)

SHOULD_BE: Final = {
    "AGENTBBS_SSH_ADDR": "HOST:PORT, such as 127.0.0.1:2222, with port 0 for a free one, or empty for off",
    "AGENTBBS_GAME_WS_ADDR": "HOST:PORT, such as 127.0.0.1:8090, with port 0 for a free one, or empty for off",
    "AGENTBBS_TELNET_ADDR": "HOST:PORT, such as 127.0.0.1:2323, with port 0 for a free one, or empty for off",
    "AGENTBBS_RLOGIN_ADDR": "HOST:PORT, such as 127.0.0.1:2513, with port 0 for a free one, or empty for off",
    "AGENTBBS_WEB_ADDR": "HOST:PORT, such as 127.0.0.1:8080, with port 0 for a free one, or empty for off",
    "AGENTBBS_NODES": "a whole number from 1 to 1000, such as 32",
    "AGENTBBS_API_READS_PER_MINUTE": "a whole number from 1 to 1000000, such as 600",
    "AGENTBBS_REGISTRATION": "one of open, invite, closed",
    "AGENTBBS_PLAINTEXT_LOGIN": "one of 0, 1",
    "AGENTBBS_GAME_MOVE_TIMEOUT": "seconds from 0.01 to 86400, such as 15",
    "AGENTBBS_GAME_QUEUE_WAIT": "seconds from 0.01 to 86400, such as 120",
    "AGENTBBS_GAME_RESUME_GRACE": "seconds from 0 to 86400, such as 0",
    "AGENTBBS_DRAIN": "seconds from 0 to 86400, such as 10",
    "AGENTBBS_LOG_FORMAT": "one of console, json",
    "AGENTBBS_LOG_LEVEL": "one of debug, info, warning, error",
}
FIELDS: Final = {
    "AGENTBBS_SSH_ADDR": "ssh_addr",
    "AGENTBBS_GAME_WS_ADDR": "game_ws_addr",
    "AGENTBBS_TELNET_ADDR": "telnet_addr",
    "AGENTBBS_RLOGIN_ADDR": "rlogin_addr",
    "AGENTBBS_WEB_ADDR": "web_addr",
    "AGENTBBS_NODES": "nodes",
    "AGENTBBS_API_READS_PER_MINUTE": "api_reads_per_minute",
    "AGENTBBS_REGISTRATION": "registration",
    "AGENTBBS_PLAINTEXT_LOGIN": "plaintext_login",
    "AGENTBBS_GAME_MOVE_TIMEOUT": "move_timeout_s",
    "AGENTBBS_GAME_QUEUE_WAIT": "queue_wait_s",
    "AGENTBBS_GAME_RESUME_GRACE": "resume_grace_s",
    "AGENTBBS_DRAIN": "drain_s",
    "AGENTBBS_LOG_FORMAT": "log_format",
    "AGENTBBS_LOG_LEVEL": "log_level",
}
SECONDS: Final = (
    "AGENTBBS_GAME_MOVE_TIMEOUT",
    "AGENTBBS_GAME_QUEUE_WAIT",
    "AGENTBBS_GAME_RESUME_GRACE",
    "AGENTBBS_DRAIN",
)
ADDRESSES: Final = (
    "AGENTBBS_GAME_WS_ADDR",
    "AGENTBBS_SSH_ADDR",
    "AGENTBBS_TELNET_ADDR",
    "AGENTBBS_RLOGIN_ADDR",
    "AGENTBBS_WEB_ADDR",
)


def setting(variable: str, value: str) -> Any:
    """What one variable makes of a value."""
    return getattr(Settings.from_env({variable: value}), FIELDS[variable])


def test_without_variables_the_defaults_of_the_specification_hold() -> None:
    assert Settings.from_env({}) == DEFAULTS


def test_the_environment_of_the_process_is_read_if_no_other_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTBBS_GAME_MOVE_TIMEOUT", "3")
    assert Settings.from_env().move_timeout_s == 3.0


def test_variables_of_others_are_let_be() -> None:
    assert Settings.from_env({"AGENTBBS_TOKEN": "x", "HOME": "/tmp"}) == DEFAULTS


@pytest.mark.parametrize("variable", [*SECONDS, "AGENTBBS_LOG_FORMAT", "AGENTBBS_LOG_LEVEL"])
def test_an_empty_value_is_the_default(variable: str) -> None:
    assert setting(variable, "") == getattr(DEFAULTS, FIELDS[variable])


# Folders


def test_the_database_lies_in_the_data_folder() -> None:
    settings = Settings.from_env({"AGENTBBS_DATA": "/srv/venue"})
    assert settings.data == Path("/srv/venue")
    assert settings.database_url == "sqlite:////srv/venue/agentbbs.db"


def test_an_empty_data_folder_is_the_default() -> None:
    assert Settings.from_env({"AGENTBBS_DATA": "", "AGENTBBS_DATABASE_URL": ""}) == DEFAULTS


def test_the_database_can_be_elsewhere() -> None:
    settings = Settings.from_env({"AGENTBBS_DATA": "/srv/venue", "AGENTBBS_DATABASE_URL": "sqlite:////srv/other.db"})
    assert settings.database_url == "sqlite:////srv/other.db"


# Seconds


@pytest.mark.parametrize("variable", SECONDS)
@pytest.mark.parametrize(("text", "seconds"), [("1", 1.0), ("0.05", 0.05), ("2.5", 2.5), ("86400", 86_400.0)])
def test_seconds_may_have_fractions(variable: str, text: str, seconds: float) -> None:
    assert setting(variable, text) == seconds


@pytest.mark.parametrize("variable", SECONDS)
@pytest.mark.parametrize(
    "text", ["fifteen", "15s", "-1", "1,5", "nan", "inf", "-inf", "1e9", "86400.01", "0x10", "15 s"]
)
def test_what_is_no_time_stops_the_start(variable: str, text: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        setting(variable, text)
    assert str(caught.value) == f"{variable}={text!r} is wrong: it should be {SHOULD_BE[variable]}"
    assert caught.value.variable == variable


def test_a_move_needs_some_time_and_a_drain_needs_none() -> None:
    for variable in ("AGENTBBS_DRAIN", "AGENTBBS_GAME_RESUME_GRACE"):
        assert setting(variable, "0") == 0.0
    for variable in ("AGENTBBS_GAME_MOVE_TIMEOUT", "AGENTBBS_GAME_QUEUE_WAIT"):
        assert setting(variable, "0.01") == 0.01
        for text in ("0", "0.0099"):
            with pytest.raises(WrongSetting):
                setting(variable, text)


@pytest.mark.parametrize(("text", "ms"), [("15", 15_000), ("0.1", 100), ("0.0105", 10), ("1.9996", 2_000)])
def test_the_move_timeout_is_sent_in_whole_ms(text: str, ms: int) -> None:
    assert Settings.from_env({"AGENTBBS_GAME_MOVE_TIMEOUT": text}).move_timeout_ms == ms


# Addresses


@pytest.mark.parametrize(
    ("text", "host", "port", "shown"),
    [
        ("127.0.0.1:8090", "127.0.0.1", 8090, "127.0.0.1:8090"),
        ("0.0.0.0:80", "0.0.0.0", 80, "0.0.0.0:80"),
        ("localhost:65535", "localhost", 65535, "localhost:65535"),
        ("[::1]:8090", "::1", 8090, "[::1]:8090"),
        ("[fe80::1%lo]:1", "fe80::1%lo", 1, "[fe80::1%lo]:1"),
    ],
)
@pytest.mark.parametrize("variable", ADDRESSES)
def test_an_address_is_host_and_port(variable: str, text: str, host: str, port: int, shown: str) -> None:
    address = setting(variable, text)
    assert address == Address(host, port)
    assert str(address) == shown
    assert setting(variable, str(address)) == address


@pytest.mark.parametrize("variable", ADDRESSES)
def test_port_0_takes_a_free_one(variable: str) -> None:
    assert setting(variable, "127.0.0.1:0") == Address("127.0.0.1", 0)


@pytest.mark.parametrize("variable", ADDRESSES)
def test_an_empty_address_turns_the_server_off(variable: str) -> None:
    assert setting(variable, "") is None


@pytest.mark.parametrize("variable", ADDRESSES)
@pytest.mark.parametrize(
    "text",
    [
        "8090",
        ":8090",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:http",
        "127.0.0.1:-1",
        "127.0.0.1:65536",
        "127.0.0.1:80 ",
        "127.0.0.1:\u0668\u0660",
        "[::1]",
        "[]:8090",
        "off",
    ],
)
def test_what_is_no_address_stops_the_start(text: str, variable: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        setting(variable, text)
    assert str(caught.value) == f"{variable}={text!r} is wrong: it should be {SHOULD_BE[variable]}"


@pytest.mark.parametrize("text", ["::1", "fe80::1", "[::1:8090", "::1]:8090", "::1:8090"])
def test_an_ipv6_address_stands_in_brackets(text: str) -> None:
    """Without them nobody can tell the port from the last group."""
    with pytest.raises(WrongSetting):
        setting("AGENTBBS_GAME_WS_ADDR", text)


@pytest.mark.parametrize("text", ["http://127.0.0.1:8090", "ws://localhost:8090", "two words:80", "127.0.0.1/8:80"])
def test_a_url_is_no_address(text: str) -> None:
    with pytest.raises(WrongSetting):
        setting("AGENTBBS_GAME_WS_ADDR", text)


def test_a_port_of_any_length_is_only_wrong() -> None:
    with pytest.raises(WrongSetting):
        setting("AGENTBBS_GAME_WS_ADDR", "127.0.0.1:" + "9" * 5000)


# Words


@pytest.mark.parametrize("text", ["10.0.0.1,10.0.0.2", "10.0.0.1 10.0.0.2", " 10.0.0.1 ,, 10.0.0.2, "])
def test_proxies_are_a_list_of_words(text: str) -> None:
    assert Settings.from_env({"AGENTBBS_TRUSTED_PROXIES": text}).trusted_proxies == ("10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("variable", "choice"),
    [
        ("AGENTBBS_LOG_FORMAT", "console"),
        ("AGENTBBS_LOG_FORMAT", "json"),
        ("AGENTBBS_LOG_LEVEL", "debug"),
        ("AGENTBBS_LOG_LEVEL", "info"),
        ("AGENTBBS_LOG_LEVEL", "warning"),
        ("AGENTBBS_LOG_LEVEL", "error"),
    ],
)
def test_a_choice_is_taken(variable: str, choice: str) -> None:
    assert setting(variable, choice) == choice


@pytest.mark.parametrize("variable", ["AGENTBBS_LOG_FORMAT", "AGENTBBS_LOG_LEVEL"])
@pytest.mark.parametrize("text", ["verbose", "JSON", "info ", "0"])
def test_another_choice_stops_the_start(variable: str, text: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        setting(variable, text)
    assert str(caught.value) == f"{variable}={text!r} is wrong: it should be {SHOULD_BE[variable]}"


# Whatever is set


@given(st.sampled_from(sorted(SHOULD_BE)), st.text(max_size=30))
def test_any_value_is_taken_or_stops_the_start_with_one_line(variable: str, text: str) -> None:
    try:
        Settings.from_env({variable: text})
    except WrongSetting as wrong:
        line = str(wrong)
        assert line.startswith(f"{variable}=")
        assert line.endswith(SHOULD_BE[variable])
        assert line.isprintable()


def test_a_proxy_that_is_no_address_is_wrong() -> None:
    with pytest.raises(WrongSetting) as caught:
        Settings.from_env({"AGENTBBS_TRUSTED_PROXIES": "127.0.0.1 caddy"})
    assert "AGENTBBS_TRUSTED_PROXIES='127.0.0.1 caddy' is wrong" in str(caught.value)


# Who gets in


@pytest.mark.parametrize(
    ("addresses", "policy"),
    [
        ({}, "open"),
        ({"AGENTBBS_SSH_ADDR": "[::1]:22", "AGENTBBS_TELNET_ADDR": "localhost:0", "AGENTBBS_RLOGIN_ADDR": ""}, "open"),
        ({"AGENTBBS_SSH_ADDR": "0.0.0.0:2222"}, "invite"),
        ({"AGENTBBS_TELNET_ADDR": "bbs.example:23"}, "invite"),
        ({"AGENTBBS_TELNET_ADDR": "0.0.0.0:23", "AGENTBBS_REGISTRATION": "closed"}, "closed"),
    ],
)
def test_registration_is_open_only_where_nobody_else_reaches_the_board(addresses: dict[str, str], policy: str) -> None:
    assert Settings.from_env(addresses).registration == policy


@pytest.mark.parametrize("value", ["0", "-1", "1001", "3.5", "many", "\u0663"])
def test_nodes_are_a_whole_number(value: str) -> None:
    with pytest.raises(WrongSetting, match="AGENTBBS_NODES="):
        Settings.from_env({"AGENTBBS_NODES": value})


@pytest.mark.parametrize("value", ["0", "-1", "1000001", "10.5", "none", "\u0663"])
def test_reads_of_the_api_are_a_whole_number(value: str) -> None:
    variable = "AGENTBBS_API_READS_PER_MINUTE"
    assert setting(variable, "1") == 1
    with pytest.raises(WrongSetting) as caught:
        setting(variable, value)
    assert str(caught.value) == f"{variable}={value!r} is wrong: it should be {SHOULD_BE[variable]}"


@pytest.mark.parametrize(
    ("variable", "value", "field", "found"),
    [
        ("AGENTBBS_ARENA_DEADLINE_MS", "2500", "deadline_ms", 2500),
        ("AGENTBBS_ARENA_MATCHES_PER_HOUR", "3600", "matches_per_hour", 3600),
        ("AGENTBBS_ARENA_PORTS", "443, 8443 9000-9100", "ports", ((443, 443), (8443, 8443), (9000, 9100))),
        ("AGENTBBS_ARENA_DEV", "1", "dev", True),
    ],
)
def test_how_endpoints_are_called(variable: str, value: str, field: str, found: object) -> None:
    assert getattr(Settings.from_env({variable: value}).arena, field) == found


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AGENTBBS_ARENA_DEADLINE_MS", "0"),
        ("AGENTBBS_ARENA_DEADLINE_MS", "10s"),
        ("AGENTBBS_ARENA_MATCHES_PER_HOUR", "3601"),
        ("AGENTBBS_ARENA_PORTS", "22"),
        ("AGENTBBS_ARENA_PORTS", "25-9000"),
        ("AGENTBBS_ARENA_PORTS", "443-9000"),
        ("AGENTBBS_ARENA_PORTS", "9100-9000"),
        ("AGENTBBS_ARENA_PORTS", "65536"),
        ("AGENTBBS_ARENA_PORTS", "0"),
        ("AGENTBBS_ARENA_PORTS", "https"),
        ("AGENTBBS_ARENA_DEV", "yes"),
        ("AGENTBBS_ARENA_CA_FILE", "ca.pem"),
        ("AGENTBBS_PUBLIC_URL", "arena.example"),
        ("AGENTBBS_PUBLIC_URL", "https://arena.example/?x"),
    ],
)
def test_a_wrong_setting_of_the_arena_names_its_variable(variable: str, value: str) -> None:
    with pytest.raises(WrongSetting, match=f"^{variable}="):
        Settings.from_env({variable: value})


def test_a_ca_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(WrongSetting, match="PEM"):
        Settings.from_env({"AGENTBBS_ARENA_DEV": "1", "AGENTBBS_ARENA_CA_FILE": str(tmp_path / "none.pem")})
    (tmp_path / "ca.pem").touch()
    found = Settings.from_env({"AGENTBBS_ARENA_DEV": "1", "AGENTBBS_ARENA_CA_FILE": str(tmp_path / "ca.pem")})
    assert found.arena.ca_file == tmp_path / "ca.pem"


def test_links_have_one_slash() -> None:
    assert Settings.from_env({"AGENTBBS_PUBLIC_URL": "https://arena.example/"}).public_url == "https://arena.example"
