"""Where suites come from: folders, published benchmarks, and the built-in lake."""
