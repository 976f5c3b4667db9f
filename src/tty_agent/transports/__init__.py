"""Ways to a terminal program: telnet, rlogin, SSH and a local pseudo-terminal, one small adapter each."""
