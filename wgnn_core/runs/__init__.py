"""Runs that outlive whoever started them: configs, the store, jobs, the worker, executors."""
