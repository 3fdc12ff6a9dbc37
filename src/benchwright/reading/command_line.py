"""`argparse` as programs use it: what its options are, by the command line where it is known."""

from __future__ import annotations

from benchwright.reading.holes import HOLE
from benchwright.reading.site import Site
from benchwright.reading.surroundings import typed
from benchwright.reading.values import UNKNOWN, Class, Const, Instance, Items, Library, Partial, Value, text_of


def parser(_site: Site) -> Value:
    """A command line's parser: its options have the values of the command line, where it is known, or else their
    defaults.
    """
    made = Instance(Class("ArgumentParser", {}), {"operands": Items([])})
    options = Instance(Class("Namespace", {"*": Const(HOLE)}))
    for name in ("add_argument", "parse_args", "parse_known_args", "add_argument_group"):
        made.attributes[name] = Partial(Library(f"argparse.{name}"), (made, options))
    return made


def add_argument(site: Site) -> Value:
    """An option, or an argument without a name."""
    options = site.argument(1)
    flags = [text for value in site.positional[2:] if (text := text_of(value))]
    long = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
    name = text_of(site.keywords.get("dest", UNKNOWN)) or long.lstrip("-").replace("-", "_")
    told = _told(site, flags) if flags else None
    if isinstance(options, Instance) and (told is not None or "default" in site.keywords):
        default, kind = site.keywords.get("default", UNKNOWN), site.keywords.get("type", UNKNOWN)
        words = default.value if isinstance(default, Const) else None
        default = typed(words, kind) if isinstance(words, str) else default
        options.attributes[name] = default if told is None else told
    return UNKNOWN


def _told(site: Site, flags: list[str]) -> Value | None:
    """The value of an option on the command line; None where there is none."""
    kind, many = site.keywords.get("type", UNKNOWN), text_of(site.keywords.get("nargs", UNKNOWN)) or ""
    if text_of(site.keywords.get("action", UNKNOWN)):
        return None
    if flags[0].startswith("-"):
        return site.machine.given.option(flags, kind, many)
    made = site.argument(0)
    before = made.attributes.get("operands") if isinstance(made, Instance) else None
    if not isinstance(before, Items):
        return None
    before.items.append(Const(flags[0]))
    return site.machine.given.operand(len(before.items) - 1, kind, many)


def parse_known(site: Site) -> Value:
    """The options, and what is left over."""
    return Items([site.argument(1), Items([], more=True)], "tuple")
