"""Commands of the old shape, until each is a `Command` beside its work."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

PLACES = {
    "abbreviations": "abbreviations:abbreviations:EXAMPLE",
    "keyphrases list": "keyphrases:list_keyphrases:EXAMPLE",
    "keyphrases explain": "keyphrases:explain:EXPLAIN_EXAMPLE",
    "pairs": "pairs:pairs:EXAMPLE",
    "evaluate keyphrases": "evaluate.keyphrases:keyphrases:EXAMPLE",
    "evaluate pairs": "evaluate.pairs:pairs:EXAMPLE",
    "evaluate senses": "evaluate.senses:senses:EXAMPLE",
    "corpora pairs": "corpora.making:pairs:PAIRS_EXAMPLE",
    "train encoder": "train.encoder:encoder:EXAMPLE",
    "train pairs": "train.pairs:pairs:EXAMPLE",
    "train keyphrases": "train.keyphrases:keyphrases:EXAMPLE",
    "train senses": "train.senses:senses:EXAMPLE",
}


def old_command(name: str) -> click.Command:
    """The command, which passes its arguments on to Typer."""
    import typer

    from nlmchem.cli.old_groups import Commands

    module_name, attribute, example = PLACES[name].split(":")
    module = import_module(f"nlmchem.cli.{module_name}")
    commands = Commands(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
    commands.command(name, epilog=getattr(module, example))(getattr(module, attribute))
    inner = typer.main.get_command(commands)

    def run(rest: tuple[str, ...]) -> None:
        inner.main(list(rest), prog_name=f"nlmchem {name}")

    command = click.Command(
        name.rpartition(" ")[2], callback=run, add_help_option=False,
        short_help=" ".join((inner.help or "").split("\n\n")[0].split()),
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )  # fmt: skip
    command.inner = inner  # type: ignore[attr-defined]  # for tests
    arguments: list[Any] = [click.Argument(["rest"], nargs=-1, type=click.UNPROCESSED)]
    command.params = arguments
    return command
