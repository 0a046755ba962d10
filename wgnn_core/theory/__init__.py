"""Section 3 of the paper as code: what the graph alone says about the flow of label weights."""
