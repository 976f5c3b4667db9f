"""Prompt modules of BBSes and games, by level of assistance: what is told to an agent beyond the screen.

A profile names those that it has, so each can be left out of an experiment, and a trace tells which were shown.
"""

from bbs_gym.prompt_modules.catalog import MODULES, STRATEGIES

__all__ = ["MODULES", "STRATEGIES"]
