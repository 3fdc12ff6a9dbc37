"""Fuzz the parsers of agents' files: `run.py [--seconds N] [TARGET ...]`, two at a time, all by default.

What was found to be worth keeping, and every input that crashed or hung, is kept below the user's cache folder, so that the
next run goes on from there. Exit code 1: a parser crashed or hung. Without atheris it says so and does nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchwright" / "fuzz"
AT_ONCE = 2
HANG_SECONDS, MEMORY_MB, LONGEST = 20, 2048, 1 << 15


def load(path: Path) -> dict:
    """The targets of a file."""
    spec = importlib.util.spec_from_file_location("fuzz_targets", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TARGETS


def fuzz(name: str, path: Path, seconds: int) -> None:
    """Fuzz one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["benchwright.scorers"]):
        target = load(path)[name]
    corpus = CACHE / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
        target.run(seed)  # what a parser imports when it first needs it is not part of the time for one input
    options = {
        "max_total_time": seconds,
        "timeout": HANG_SECONDS,
        "rss_limit_mb": MEMORY_MB,
        "max_len": LONGEST,
        "artifact_prefix": f"{corpus}-",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [name, *(f"-{option}={value}" for option, value in options.items()), str(corpus)],
        lambda data: target.run(data) and None,
    )
    atheris.Fuzz()


def one(name: str, path: Path, seconds: int) -> bool:
    """Fuzz one target in a process of its own; says how it went."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="benchwright-fuzz-", dir=memory) as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--here", "--targets", path, "--seconds", str(seconds), name],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | {"TMPDIR": folder},
        )
    tried = re.findall(r"number_of_executed_units: *(\d+)", done.stdout)
    kept = len(list((CACHE / name).glob("*"))) if (CACHE / name).is_dir() else 0
    verdict = "no crash, no hang" if done.returncode == 0 else f"FAILED (exit code {done.returncode})"
    print(f"{name:<12} {tried[-1] if tried else '?':>9} inputs, {kept:>5} kept: {verdict}", flush=True)
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-60:]), flush=True)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="TARGET", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--targets", metavar="FILE", type=Path, default=HERE / "targets.py")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print(f"nothing is fuzzed: atheris is not installed for Python {sys.version.split()[0]} ({os.uname().machine})")
        return 0
    if given.here:
        fuzz(given.names[0], given.targets, given.seconds)
        return 0
    there = list(load(given.targets))
    if unknown := set(given.names) - set(there):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    names = given.names or there
    print(f"fuzzing {', '.join(names)}: {given.seconds} s each, {AT_ONCE} at a time; kept in {CACHE}", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return 0 if all(list(pool.map(lambda name: one(name, given.targets, given.seconds), names))) else 1


if __name__ == "__main__":
    sys.exit(main())
