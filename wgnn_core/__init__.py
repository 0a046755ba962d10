"""wGNN: label non-uniformity for node classification in graph neural networks (Ji et al., 2023)."""
