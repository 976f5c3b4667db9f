"""Scores: native skill, completed tasks, judged conversation; intervals over seeds, tables and plots."""
