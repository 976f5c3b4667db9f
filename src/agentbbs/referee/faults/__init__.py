"""What the fault server does: the table, raw HTTP, bodies and answers, what goes wrong before HTTP, and when.

`fault_server.py` of the room above listens and speaks.
"""
