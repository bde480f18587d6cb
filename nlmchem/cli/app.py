"""The commands, registered; each one imports what it needs when it is called."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nlmchem.cli import (
    abbreviations,
    annotate,
    convert,
    corpora,
    doctor,
    ensemble,
    evaluate,
    evaluate_abbreviations,
    fetch,
    index,
    lexicon,
    silver,
    submit,
    train,
    train_dense,
    train_indexer,
    view,
)

__all__ = ["app", "wants_debug"]

app = typer.Typer(
    name="nlmchem",
    help="Chemicals in folders of full-text articles: found, linked to MeSH. BioC in, BioC out.",
    epilog="Example: nlmchem annotate articles/ -o annotated/",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def wants_debug() -> bool:
    """Whether `--debug` stands on the command line."""
    return "--debug" in sys.argv[1:]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(version("nlmchem"))
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


app.command("annotate", epilog=annotate.EXAMPLE)(annotate.annotate)
app.command("replay", epilog=annotate.REPLAY_EXAMPLE)(annotate.replay)
app.command("convert", epilog=convert.EXAMPLE)(convert.convert)
app.command("view", epilog=view.EXAMPLE)(view.view)
app.command("abbreviations", epilog=abbreviations.EXAMPLE)(abbreviations.abbreviations)
app.add_typer(lexicon.app, name="lexicon")
app.add_typer(index.app, name="index")
app.command("fetch", epilog=fetch.EXAMPLE)(fetch.fetch)
app.add_typer(corpora.app, name="corpora")
train.app.command("dense", epilog=train_dense.EXAMPLE)(train_dense.dense)
train.app.command("indexer", epilog=train_indexer.EXAMPLE)(train_indexer.indexer)
app.add_typer(train.app, name="train")
evaluate.app.command("abbreviations", epilog=evaluate_abbreviations.EXAMPLE)(evaluate_abbreviations.abbreviations)
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(ensemble.app, name="ensemble")
app.command("silver", epilog=silver.EXAMPLE)(silver.silver)
app.command("submit", epilog=submit.EXAMPLE)(submit.submit)
app.command("doctor", epilog=doctor.EXAMPLE)(doctor.doctor)
