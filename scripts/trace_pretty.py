#!/usr/bin/env python3
"""Show the trace of a run as text: what the agent saw, did and said, step by step.

    python scripts/trace_pretty.py runtime/runs/demo/agent-001.jsonl --model-replies | less

`bbs-gym trace pretty` does the same.
"""

from __future__ import annotations

import argparse
import os
import sys

from tty_agent.render.export import export_pretty
from tty_agent.render.extra import RenderFault
from tty_agent.trace.records import TraceFault


def main() -> int:
    """Write the text to standard output; 0, or 1 after one line about what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", metavar="TRACE", help="the .jsonl file of a run")
    parser.add_argument("--model-replies", action="store_true", help="show what the model answered, as it came")
    parser.add_argument(
        "--control-markers", action="store_true", help="show what the program wrote, control characters by name"
    )
    options = parser.parse_args()
    try:
        export_pretty(
            options.trace,
            sys.stdout,
            model_replies=options.model_replies,
            control_markers=options.control_markers,
        )
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (RenderFault, TraceFault, OSError) as fault:
        sys.stderr.write(f"trace_pretty: {fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
