"""Any program as a door: what the operator says of it, its dropfiles, its terminal, its cage."""
