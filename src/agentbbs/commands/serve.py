"""`agentbbs serve`: the venue."""

from __future__ import annotations

from agentbbs.commands.failure import Failed


def serve() -> None:
    """Run the venue until SIGTERM or Ctrl-C.

    Settings are environment variables, each with a default for this machine alone: AGENTBBS_DATA (./data),
    AGENTBBS_DATABASE_URL (an SQLite file in it), AGENTBBS_GAME_WS_ADDR (127.0.0.1:8090),
    AGENTBBS_SSH_ADDR (127.0.0.1:2222), AGENTBBS_TELNET_ADDR (127.0.0.1:2323), AGENTBBS_RLOGIN_ADDR
    (127.0.0.1:2513) and AGENTBBS_WEB_ADDR (127.0.0.1:8080; port 0 takes a free one, an empty address turns
    a server off), AGENTBBS_PUBLIC_URL (base of every link; http:// and the address of the pages),
    AGENTBBS_NODES (32 callers at once), AGENTBBS_REGISTRATION (open, invite or closed; open where the BBS
    is reached from this machine alone, else invite), AGENTBBS_PLAINTEXT_LOGIN (0; 1 takes passwords in
    clear from everywhere), AGENTBBS_GAME_MOVE_TIMEOUT (15 s), AGENTBBS_GAME_QUEUE_WAIT (120 s),
    AGENTBBS_GAME_RESUME_GRACE (0 s), AGENTBBS_DRAIN (10 s for the matches that are on when it stops),
    AGENTBBS_ARENA_DEADLINE_MS (10000 for an endpoint's answer), AGENTBBS_ARENA_MATCHES_PER_HOUR (30 of an
    endpoint), AGENTBBS_ARENA_PORTS (443 8443), AGENTBBS_ARENA_DEV (0; 1 calls endpoints on this machine),
    AGENTBBS_ARENA_CA_FILE (with AGENTBBS_ARENA_DEV=1), AGENTBBS_API_READS_PER_MINUTE (600 of an account
    or an address), AGENTBBS_RUNS (./runtime/runs: finished runs of the gym, which the pages show where that
    folder is there), AGENTBBS_TRUSTED_PROXIES, AGENTBBS_LOG_FORMAT (console, json) and AGENTBBS_LOG_LEVEL
    (info). Logs go to stderr. `agentbbs doctor` checks all of them.

    \b
    Example:
      AGENTBBS_DATA=/var/lib/agentbbs agentbbs serve
    """
    from agentbbs.config import Settings  # noqa: PLC0415 - heavy, as is what follows

    settings = Settings.from_env()
    from agentbbs import logs  # noqa: PLC0415
    from agentbbs.serve import CannotStart, run  # noqa: PLC0415
    from agentbbs.store.soundness import explain  # noqa: PLC0415

    logs.configure(settings.log_format, settings.log_level)
    try:
        lost = run(settings)
    except CannotStart as fault:
        raise Failed(str(fault)) from fault
    except Exception as fault:
        sentence = explain(fault)
        if sentence is None:
            raise
        raise Failed(sentence) from fault
    if lost:
        raise Failed(f"{lost} finished matches could not be stored; each is in the log in full (`matches_lost`)")
