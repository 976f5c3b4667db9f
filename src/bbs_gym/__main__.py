"""`python -m bbs_gym` is `bbs-gym`."""

from bbs_gym.cli import main

if __name__ == "__main__":
    main()
