"""From run folders to what they mean: frames, accuracy, statistics, failures, cost."""
