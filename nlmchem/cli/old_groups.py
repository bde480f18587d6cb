"""How commands are listed, found and started: default commands, whole summaries, headings, the check of the output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from corpora.commands.options import PANELS
from corpora.errors import OptionError, command

CLOSE = 0.8
"""How similar a mistyped command is to the command, from 0 to 1. No short name of the lexicon is as similar to one."""
ARGUMENTS, OPTIONS = "Arguments", "Options"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command, or a group of commands, that is imported when it is used.

    `place`: `module:name` in `nlmchem.cli`, of a function or of the `typer.Typer` of a group. `summary`: the first
    sentence of its help. `example`: the name of the example of a function, in the same module.
    """

    place: str
    summary: str
    example: str = "EXAMPLE"

    def load(self, name: str) -> Any:
        """Import the command. Returns it as Typer builds it."""
        module_name, _, attribute = self.place.partition(":")
        module = import_module(f"nlmchem.cli.{module_name}")
        found = getattr(module, attribute)
        if not isinstance(found, typer.Typer):
            function, found = found, Commands(add_completion=False, rich_markup_mode=None)
            found.command(name, epilog=getattr(module, self.example))(function)
            return typer.main.get_command(found)
        loaded = typer.main.get_group(found)
        loaded.name = name
        return loaded


class _Loaded(Mapping[str, Any]):
    """Commands by name. Each is imported when it is asked for."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._entries[name].load(name)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Group(TyperGroup):
    """A group of commands. What begins with none of their names is given to the command `default`, if there is one."""

    default: ClassVar[str | None] = None
    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if self.entries:
            self.commands = _Loaded(self.entries)  # type: ignore[assignment]  # nothing is added to it

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if self.default is not None and args and args[0] not in (*self.commands, "-h", "--help"):
            self._refuse_misspelt(ctx, args[0], self.default)
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def _refuse_misspelt(self, ctx: Any, word: str, default: str) -> None:
        """End with a message where the argument of the default command looks like the name of another command."""
        from difflib import get_close_matches

        meant = get_close_matches(word, self.commands, 1, CLOSE)
        if meant and not os.path.lexists(word):
            as_argument = command(str(ctx.info_name), default, word)
            ctx.fail(f"No such command or file {word!r}. Did you mean {meant[0]!r}? As an argument: {as_argument}")

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = [(name, self._summary(name)) for name in self.list_commands(ctx)]
        if self.default is not None:
            rows = [(name, f"{text} (the default)" if name == self.default else text) for name, text in rows]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _summary(self, name: str) -> str:
        if name in self.entries:
            return self.entries[name].summary
        # Typer cuts summaries to the width of the terminal.
        return str(self.commands[name].get_short_help_str(limit=1000))


def group(
    help: str, default: str | None = None, entries: Mapping[str, Entry] | None = None, **more: Any
) -> typer.Typer:
    """A group of commands, such as `nlmchem train`.

    `default`: the command that may be left out: `lexicon aspirin` is `lexicon lookup aspirin`. `entries`: commands
    that are imported when they are used.
    """
    cls = type("Group", (Group,), {"default": default, "entries": entries or {}})
    return Commands(help=help, no_args_is_help=True, rich_markup_mode=None, cls=cls, **more)


class Commands(typer.Typer):
    """Commands of the class `Command`."""

    def command(self, name: str | None = None, **more: Any) -> Any:
        """As `typer.Typer.command`."""
        return super().command(name, cls=Command, **more)


class Command(TyperCommand):
    """A command that refuses an output that is one of its inputs, or in which another command works.

    Its help lists its options under headings: the `rich_help_panel` of each, one of `PANELS`.
    """

    def invoke(self, ctx: Any) -> Any:
        """Check the output and run the command. Raises `OptionError`."""
        out = ctx.params.get("out") or ctx.params.get("target")
        if out is not None and os.fspath(out) == "-":
            out = None
        if out is not None:
            from corpora.storage.atomic import remove_leftovers

            with suppress(OSError):
                remove_leftovers(Path(out))
        if out is not None and Path(out).exists():
            for value in [value for name, value in ctx.params.items() if name not in ("out", "target")]:
                _refuse_input(Path(out), value)
        written = out or ctx.params.get("report")
        # The shards of a run may write into one folder, so the run locks it.
        if written is None or "shard" in ctx.params or self.name == "doctor" or _is_started_by_another():
            return super().invoke(ctx)
        from corpora.storage.locks import hold

        with hold(Path(written)):
            return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in (ARGUMENTS, *PANELS, OPTIONS)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = ARGUMENTS if parameter.param_type_name == "argument" else OPTIONS
                panels[getattr(parameter, "rich_help_panel", None) or heading].append(record)
        for heading, records in panels.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _is_started_by_another() -> bool:
    """Whether this is a further process of a training that `torchrun` started: the first one holds the lock."""
    return "LOCAL_RANK" in os.environ and os.environ.get("RANK", "0") != "0"


def _refuse_input(out: Path, value: object) -> None:
    """Raise `OptionError` where a value, or one of several, names the output file or folder."""
    if isinstance(value, list | tuple):
        for one in value:
            _refuse_input(out, one)
    elif isinstance(value, str | Path):
        from corpora.storage.inputs import names

        if names(str(value), out):
            raise OptionError("out", f"is {out}, which is one of the inputs ({value}); choose another")
