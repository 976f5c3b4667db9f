"""`python -m agentbbs` is `agentbbs`."""

from agentbbs.cli import main

if __name__ == "__main__":
    main()
