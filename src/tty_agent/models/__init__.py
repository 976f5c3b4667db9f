"""Language models behind one contract: HTTP endpoints, command-line programs and scripts."""
