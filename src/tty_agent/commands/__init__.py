"""The commands that fit any terminal; `bbs_gym.cli` puts them together."""
