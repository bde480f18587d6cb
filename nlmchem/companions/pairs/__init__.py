"""Whether two terms mean the same in their sentences: evidence, a solver with reasons, training."""
