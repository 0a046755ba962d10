"""Seconds per training: the textbook PyG loop against K replicas of the engine."""

from wgnn_core.cli.bench import bench

if __name__ == "__main__":
    print("== speed against the stock loop ==")
    bench()
