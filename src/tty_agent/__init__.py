"""Any terminal, any model: a language model at a terminal program, one action a decision."""
