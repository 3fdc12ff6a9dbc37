"""What common programs do with the words that follow them: which are options, values, patterns, files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchwright.reading.holes import HOLE

_READERS: dict[str, str] = {
    **dict.fromkeys(
        "cat tac less more nl rev wc md5sum sha1sum sha256sum sha512sum cksum file strings expand".split(), ""
    ),
    **dict.fromkeys("zcat gzcat bzcat xzcat zstdcat zless zmore csvstat csvlook csvclean bat batcat vd".split(), ""),
    "head": "-n -c --lines --bytes",
    "tail": "-n -c --lines --bytes",
    "sort": "-k -t -o -S -T --key --field-separator",
    "uniq": "-f -s -w",
    "cut": "-d -f -c -b --delimiter --fields",
    "paste": "-d",
    "join": "-t -1 -2 -o -e -a",
    "comm": "",
    "diff": "-U -C",
    "cmp": "-n",
    "column": "-s -t -o -c",
    "od": "-A -t -N -j",
    "xxd": "-l -s -c",
    "hexdump": "-n -s -e",
    "iconv": "-f -t --from-code --to-code",
    "base64": "-w",
    "split": "-l -b -n",
    "shuf": "-n",
    "fold": "-w",
    "pr": "",
    "csvcut": "-c -d -e",
    "csvhead": "-n",
    "csvgrep": "-c -m -r",
    "csvsql": "--query",
    "csvjson": "",
    "in2csv": "--sheet",
    "xsv": "-s -n -d",
    "qsv": "-s -n -d",
    "mlr": "-n",
    "gunzip": "",
    "gzip": "",
    "unzip": "-d -p",
    "zipinfo": "",
    "h5dump": "-d",
    "h5ls": "",
    "ncdump": "-v",
    "ogrinfo": "",
    "parquet-tools": "",
    "pqrs": "-n",
}
"""Programs that read the files named after them, with the options that take a value."""

_PATTERN_FIRST: dict[str, str] = {
    "grep": "-e -f -m -A -B -C --max-count --include --exclude --exclude-dir --color",
    "egrep": "-e -f -m -A -B -C --include --exclude",
    "fgrep": "-e -f -m -A -B -C --include --exclude",
    "zgrep": "-e -f -m -A -B -C",
    "rg": "-e -f -m -A -B -C -g -t --glob --type --max-count",
    "ag": "-A -B -C -m -G",
    "sed": "-e -f",
    "awk": "-F -v -f",
    "gawk": "-F -v -f",
    "mawk": "-F -v -f",
    "jq": "--arg --argjson -f",
    "yq": "",
    "perl": "-e -E -I",
    "q": "-d",
}
"""Programs whose first operand is a pattern or program, and the others files."""

_RECURSIVE = frozenset(("rg", "ag"))
_QUIET = frozenset(
    "cd pushd popd export set unset mkdir touch rm cp mv ln chmod sleep true : source . alias shopt ulimit trap wait "
    "exit local readonly declare umask git".split()
)
_WRAPPERS: dict[str, str] = {
    "time": "",
    "nohup": "",
    "sudo": "-u",
    "env": "-u -C",
    "stdbuf": "-o -e -i",
    "nice": "-n",
    "ionice": "-c -n",
    "command": "",
    "exec": "",
    "builtin": "",
    "timeout": "-s -k",
    "uv": "--with --python -p --extra --directory --project --with-requirements --group",
    "poetry": "",
    "pipenv": "",
    "conda": "-n -p",
    "micromamba": "-n -p",
    "xvfb-run": "",
}
_RUNS_AFTER = frozenset(("uv", "poetry", "pipenv", "conda", "micromamba"))


@dataclass(frozen=True, slots=True)
class Operands:
    """What a program's words name: its options with their values, and the words that are neither."""

    options: tuple[tuple[str, str], ...]
    words: tuple[str, ...]

    def values(self, *names: str) -> list[str]:
        """The values of an option under any of its names."""
        return [value for name, value in self.options if name in names]

    def has(self, *names: str) -> bool:
        """Whether an option was given; short options may stand together (`-rn`)."""
        return any(
            name in names
            or (name[:1] == "-" and name[1:2] != "-" and any(len(n) == 2 and n[1] in name[1:] for n in names))
            for name, _ in self.options
        )


def operands(words: Sequence[str], with_value: str = "") -> Operands:
    """Take the words after a program apart; `with_value` lists the options that take the word behind them."""
    taking = frozenset(with_value.split())
    options: list[tuple[str, str]] = []
    others: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        if word == "--":
            others += words[place + 1 :]
            break
        if word in taking and place + 1 < len(words):
            options.append((word, words[place + 1]))
            place += 1
        elif word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            options.append((name, value))
        else:
            others.append(word)
        place += 1
    return Operands(tuple(options), tuple(others))


@dataclass(frozen=True, slots=True)
class Reads:
    """What a program reads: its files, folders with everything below, and the names that limit those."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    include: tuple[str, ...] = ()


def reads_of(program: str, words: Sequence[str]) -> Reads | None:
    """What a common program reads; None for programs that are not known to read the files they name."""
    if program in _READERS:
        return Reads(operands(words, _READERS[program]).words)
    if program not in _PATTERN_FIRST:
        return None
    found = operands(words, _PATTERN_FIRST[program])
    given = bool(found.options) if program == "perl" else program != "jq" and bool(found.values("-e", "-f"))
    files = found.words if given else found.words[1:]
    recursive = program in _RECURSIVE or (program.endswith("grep") and found.has("-r", "-R", "--recursive"))
    if not recursive:
        return Reads(files)
    include = (*found.values("--include", "-g", "--glob"),)
    return Reads(folders=files or (".",), include=tuple(name for name in include if not name.startswith("!")))


def prints(program: str) -> bool:
    """Whether a program may print; those that are only run for what they do, do not."""
    return program not in _QUIET


def unwrapped(words: list[str]) -> list[str]:
    """The words without what only runs them: `timeout 60`, `sudo`, `env X=1`, `uv run`."""
    for _ in range(5):
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if program not in _WRAPPERS:
            return words
        rest = list(words[1:])
        taking = _WRAPPERS[program].split()
        if program in _RUNS_AFTER:
            if rest[:1] != ["run"]:
                return words
            rest = rest[1:]
        while rest and (rest[0].startswith("-") or (program == "env" and "=" in rest[0])):
            rest = rest[2:] if rest[0] in taking else rest[1:]
        words = rest[1:] if program == "timeout" else rest
    return words


def printed(program: str, words: Sequence[str], body: str) -> str | None:
    """What a command prints, where that stands in its text."""
    if body and (program == "tee" or (program == "cat" and not [word for word in words if word != "-"])):
        return body
    if any(HOLE in word for word in words):
        return None
    if program == "echo":
        return _echoed(list(words))
    return _formatted(words) if program == "printf" and words else None


def _formatted(words: Sequence[str]) -> str | None:
    if "%" not in words[0].replace("%%", ""):
        return words[0].replace("%%", "%").replace("\\n", "\n").replace("\\t", "\t")
    if words[0] in ("%s", "%s\\n") and len(words) == 2:
        return words[1] + ("\n" if words[0].endswith("n") else "")
    return None


def _echoed(words: list[str]) -> str:
    flags = list(itertools.takewhile(lambda word: re.fullmatch(r"-[neE]+", word), words))
    text = " ".join(words[len(flags) :])
    if any("e" in flag for flag in flags):
        text = text.replace("\\n", "\n").replace("\\t", "\t")
    return text if any("n" in flag for flag in flags) else f"{text}\n"
