"""The training engine: everything is a batch of replicas."""
