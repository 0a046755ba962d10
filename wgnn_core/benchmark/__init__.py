"""How fast the engine is, measured against the loop everybody writes, side by side."""
