"""Any program as a door."""
