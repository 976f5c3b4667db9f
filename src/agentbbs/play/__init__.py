"""One match as events in and effects out; pairing, clocks, and the runner that performs effects."""
