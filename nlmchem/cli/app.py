"""Registers the commands. Each command imports what it needs when it runs, so that `--help` is fast."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nlmchem.cli import (
    abbreviations,
    annotate,
    bench,
    convert,
    corpora,
    corpora_making,
    corpora_splits,
    doctor,
    ensemble,
    evaluate,
    evaluate_abbreviations,
    evaluate_keyphrases,
    evaluate_senses,
    explain,
    fetch,
    index,
    keyphrases,
    lexicon,
    pairs,
    silver,
    submit,
    train,
    train_decision,
    train_dense,
    train_indexer,
    train_keyphrases,
    train_senses,
    view,
)
from nlmchem.cli.exit_codes import EXIT_CODES

__all__ = ["app", "wants_debug"]

# \b: the lines of this paragraph are not joined.
_EPILOG = "Example: nlmchem annotate articles/ -o annotated/\n\n\b\nExit codes:\n" + "\n".join(
    f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items()
)

app = typer.Typer(
    name="nlmchem",
    help="Find chemicals in full-text articles, link them to MeSH, and index the articles. Reads and writes BioC.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def wants_debug() -> bool:
    """Whether the command line contains `--debug`."""
    return "--debug" in sys.argv[1:]


def _print_version(wanted: bool) -> None:
    if wanted:
        from nlmchem import __version__

        print(__version__)
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
app.command("keyphrases", epilog=keyphrases.EXAMPLE)(keyphrases.keyphrases)
app.command("fetch", epilog=fetch.EXAMPLE)(fetch.fetch)
corpora.app.command("split", epilog=corpora_splits.SPLIT_EXAMPLE)(corpora_splits.split)
corpora.app.command("leaks", epilog=corpora_splits.LEAKS_EXAMPLE)(corpora_splits.leaks)
corpora.app.command("augment", epilog=corpora_making.AUGMENT_EXAMPLE)(corpora_making.augment)
corpora.app.command("distant", epilog=corpora_making.DISTANT_EXAMPLE)(corpora_making.distant)
corpora.app.command("dictionary", epilog=corpora_making.DICTIONARY_EXAMPLE)(corpora_making.dictionary)
corpora.app.command("pairs", epilog=corpora_making.PAIRS_EXAMPLE)(corpora_making.pairs)
app.add_typer(corpora.app, name="corpora")
train.app.command("decision", epilog=train_decision.EXAMPLE)(train_decision.decision)
train.app.command("dense", epilog=train_dense.EXAMPLE)(train_dense.dense)
train.app.command("indexer", epilog=train_indexer.EXAMPLE)(train_indexer.indexer)
train.app.command("pairs", epilog=pairs.TRAIN_EXAMPLE)(pairs.train_pairs)
train.app.command("keyphrases", epilog=train_keyphrases.EXAMPLE)(train_keyphrases.keyphrases)
train.app.command("senses", epilog=train_senses.EXAMPLE)(train_senses.senses)
app.add_typer(train.app, name="train")
evaluate.app.command("abbreviations", epilog=evaluate_abbreviations.EXAMPLE)(evaluate_abbreviations.abbreviations)
evaluate.app.command("keyphrases", epilog=evaluate_keyphrases.EXAMPLE)(evaluate_keyphrases.keyphrases)
evaluate.app.command("pairs", epilog=pairs.EVALUATE_EXAMPLE)(pairs.evaluate_pairs)
evaluate.app.command("senses", epilog=evaluate_senses.EXAMPLE)(evaluate_senses.senses)
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(ensemble.app, name="ensemble")
app.add_typer(silver.app, name="silver")
app.command("pairs", epilog=pairs.EXAMPLE)(pairs.pairs)
app.command("explain", epilog=explain.EXAMPLE)(explain.explain)
app.command("submit", epilog=submit.EXAMPLE)(submit.submit)
app.command("bench", epilog=bench.EXAMPLE)(bench.bench)
app.command("doctor", epilog=doctor.EXAMPLE)(doctor.doctor)
