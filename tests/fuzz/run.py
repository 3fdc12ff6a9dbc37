"""Fuzz the parsers of agents' files: `run.py [--seconds N | --runs N [--seed N]] [TARGET ...]`, two at a time, all by default.

By the clock (`--seconds`), what was found to be worth keeping, and every input that crashed or hung, is kept below the user's
cache folder, so that the next run goes on from there. With `--runs` it is the same each time: so many inputs a target, drawn
from its seeds alone by one seed of chance; only what crashes or hangs is kept. Exit code 1: a parser crashed or hung, or did not
come to its inputs in time. Without atheris it says so and does nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchwright" / "fuzz"
AT_ONCE = 2
HANG_SECONDS, MEMORY_MB = 20, 2048
CEILING_SECONDS = 120
"""A target that is not done with its `--runs` inputs by then has failed."""


class Amount(NamedTuple):
    """How much is tried: for so many seconds, or so many inputs by one seed of chance."""

    seconds: int
    runs: int | None = None
    seed: int = 1

    @property
    def words(self) -> list[str]:
        """As words of the command line."""
        return (
            ["--seconds", str(self.seconds)]
            if self.runs is None
            else ["--runs", str(self.runs), "--seed", str(self.seed)]
        )

    @property
    def options(self) -> dict[str, int]:
        """As libFuzzer takes it."""
        by_clock = {"max_total_time": self.seconds}
        return (
            by_clock if self.runs is None else {"runs": self.runs, "seed": self.seed, "max_total_time": CEILING_SECONDS}
        )


def load(path: Path) -> dict:
    """The targets of a file."""
    spec = importlib.util.spec_from_file_location("fuzz_targets", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TARGETS


def fuzz(name: str, path: Path, amount: Amount) -> None:
    """Fuzz one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["benchwright.scorers"]):
        target = load(path)[name]
    CACHE.mkdir(parents=True, exist_ok=True)
    corpus = CACHE / name if amount.runs is None else Path(tempfile.mkdtemp())
    corpus.mkdir(exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
        target.run(seed)  # what a parser imports when it first needs it is not part of the time for one input
    options = {
        **amount.options,
        "timeout": HANG_SECONDS,
        "rss_limit_mb": MEMORY_MB,
        "max_len": target.longest,
        "artifact_prefix": f"{CACHE / name}-",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [name, *(f"-{option}={value}" for option, value in options.items()), str(corpus)],
        lambda data: target.run(data) and None,
    )
    atheris.Fuzz()


def one(name: str, path: Path, amount: Amount) -> bool:
    """Fuzz one target in a process of its own; says how it went."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="benchwright-fuzz-", dir=memory) as folder:
        done = subprocess.run(
            [sys.executable, __file__, "--here", "--targets", path, *amount.words, name],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | {"TMPDIR": folder, "PYTHONHASHSEED": "0"},
        )
    tried = int((re.findall(r"number_of_executed_units: *(\d+)", done.stdout) or [-1])[-1])
    verdict = "no crash, no hang" if done.returncode == 0 else f"FAILED (exit code {done.returncode})"
    late = done.returncode == 0 and amount.runs is not None and tried < amount.runs
    if late:
        verdict = f"FAILED: not done within {CEILING_SECONDS} s"
    print(
        f"{name:<12} {tried:>9} inputs, {_reached(done.stdout)}, {time.monotonic() - began:.0f} s: {verdict}",
        flush=True,
    )
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-60:]), flush=True)
    return done.returncode == 0 and not late


def _reached(output: str) -> str:
    """What libFuzzer told last of the places in the code that were reached, and of the inputs that it keeps."""
    told = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", output)
    return f"{told[-1][0]} places, {told[-1][2]} kept" if told else "nothing told"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", metavar="TARGET", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, help="inputs a target, the same ones each time, whatever --seconds says")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--targets", metavar="FILE", type=Path, default=HERE / "targets.py")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    amount = Amount(given.seconds, given.runs, given.seed)
    if importlib.util.find_spec("atheris") is None:
        print(f"nothing is fuzzed: atheris is not installed for Python {sys.version.split()[0]} ({os.uname().machine})")
        return 0
    if given.here:
        fuzz(given.names[0], given.targets, amount)
        return 0
    there = list(load(given.targets))
    if unknown := set(given.names) - set(there):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(there)}")
    names = given.names or there
    much = f"{given.seconds} s each" if given.runs is None else f"{given.runs} inputs each by the seed {given.seed}"
    print(f"fuzzing {', '.join(names)}: {much}, {AT_ONCE} at a time; kept in {CACHE}", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return 0 if all(list(pool.map(lambda name: one(name, given.targets, amount), names))) else 1


if __name__ == "__main__":
    sys.exit(main())
