"""What the pages share: the sidebar's choice, cached loaders, jobs, and how a figure is shown."""
