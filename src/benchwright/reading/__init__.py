"""Which files a program or a command line reads, by static analysis."""
