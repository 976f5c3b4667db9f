"""The commands of `bbs-gym` that know a BBS."""
