"""Runs in parts: shards for any scheduler or for Ray, suites and results in any store, one run of all parts."""
