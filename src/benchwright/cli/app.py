"""The `benchwright` program: its commands, and how an error leaves it."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from benchwright import __version__
from benchwright.errors import BenchwrightError, EnvironmentFault, InputError, visible

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_SHOWN = 5
_WHOLE = 1000
"""Characters: no sentence about a command is as long."""
_NO_PATH = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)


class Group(TyperGroup):
    """Commands under one word; the sentence about each is shown whole, over two lines where it must."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands within a help text."""
        known = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, made.get_short_help_str(_WHOLE)) for name, made in known if made and not made.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Commands(Group):
    """The commands, in the order in which a newcomer meets them."""

    ORDER = ("demo", "doctor", "suites", "run", "score")

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in that order, then the others by name."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: (self.ORDER.index(name) if name in self.ORDER else len(self.ORDER), name))


app = typer.Typer(
    cls=Commands,
    name="benchwright",
    help="Run, score, explain and build benchmarks for data agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich costs half a second at every --help
    context_settings={"help_option_names": ["-h", "--help"]},
)


def group(name: str, about: str, within: typer.Typer = app) -> typer.Typer:
    """A word with commands of its own; `about` is the sentence that its help begins with."""
    made = typer.Typer(cls=Group, name=name, help=about, no_args_is_help=True, rich_markup_mode=None)
    made.callback()(_of_a_group)  # without one, a word with a single command would be that command
    within.add_typer(made)
    return made


def _of_a_group() -> None:
    pass


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"benchwright {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Run, score, explain and build benchmarks for data agents.

    Results go to stdout, progress and errors to stderr. Exit codes: 0 done; 1 done, and something is wrong
    with what was checked; 2 usage or input error; 3 broken environment.
    """


def main() -> None:
    """Run the program; an error of ours is one message on stderr and its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that is not Unicode's ends no command
    try:
        app()
    except BenchwrightError as error:
        raise SystemExit(_told(error)) from None
    except BrokenPipeError:
        # The reader of our output went away; whatever Python still flushes at exit has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as error:
        found = _of_system(error)
        raise SystemExit(_told(found or _unforeseen(error))) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(130) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, what is done is kept, and a user is told in words
        raise SystemExit(_told(_unforeseen(error))) from None


def _told(error: BenchwrightError) -> int:
    """Say an error, and with which code to exit."""
    sys.stderr.write(f"error: {visible(str(error))}\n")
    return error.exit_code


def _of_system(error: OSError) -> BenchwrightError | None:
    """The message for what the system refuses: room on a disk, or a path; None where it is something else."""
    if isinstance(error, shutil.Error):  # a folder's copy tells of all its files at once, as text
        reasons = [str(reason) for *_, reason in error.args[0]] if isinstance(error.args[0], list) else [str(error)]
        full = any(f"[Errno {number}]" in reason for reason in reasons for number in _NO_ROOM)
        return (EnvironmentFault if full else InputError)(
            f"{len(reasons)} files could not be copied",
            found="\n    ".join(reasons[:_SHOWN] + ["..."] * (len(reasons) > _SHOWN)),
            hint="make room, and give the command again" if full else "",
        )
    if error.errno in _NO_ROOM:
        return _no_room(error)
    return _no_path(error) if error.filename is not None and error.errno in _NO_PATH else None


def _unforeseen(error: Exception) -> BenchwrightError:
    """The message for a fault of ours, and where its details are."""
    import tempfile
    import traceback

    reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    try:
        handle, place = tempfile.mkstemp(prefix="benchwright-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            traceback.print_exception(error, file=stream)
    except OSError:
        return BenchwrightError("a fault of Benchwright itself", found=reason)
    return BenchwrightError(
        "a fault of Benchwright itself",
        found=reason,
        hint=f"what is done is kept; please report it with {place}, after a look that it holds nothing secret",
    )


def _no_path(error: OSError) -> InputError:
    return InputError(
        f"{error.filename2 or error.filename} cannot be used",
        found=error.strerror or str(error),
        expected="a place that is there, and may be read or written as asked",
    )


def _no_room(error: OSError) -> EnvironmentFault:
    return EnvironmentFault(
        f"{error.filename2 or error.filename or 'a file'} cannot be written",
        found=error.strerror or str(error),
        hint="make room; what is done is kept, and the same command goes on",
    )
