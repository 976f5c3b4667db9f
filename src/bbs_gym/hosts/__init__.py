"""BBSes as the gym runs them: the contract, the house's own, Synchronet."""
