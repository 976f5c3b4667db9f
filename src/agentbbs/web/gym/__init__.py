"""Finished runs of the gym, read from the folder that AGENTBBS_RUNS names."""
