"""Registers the commands. Each command imports what it needs when it runs, so that `--help` is fast."""

from __future__ import annotations

from typing import Annotated

import typer

from nlmchem.cli import (
    abbreviations,
    annotate,
    bench,
    convert,
    corpora,
    curate,
    ensemble,
    evaluate,
    explain,
    fetch,
    index,
    keyphrases,
    lexicon,
    pairs,
    silver,
    submit,
    train,
    view,
)
from nlmchem.cli.exit_codes import EXIT_CODES
from nlmchem.cli.groups import group

# \b: the lines of this paragraph are not joined.
_EPILOG = "Example: nlmchem annotate articles/ -o annotated/\n\n\b\nExit codes:\n" + "\n".join(
    f"  {code:3}  {meaning}" for code, meaning in EXIT_CODES.items()
)

app = group(
    "Find chemicals in full-text articles, link them to MeSH, and index the articles. Reads and writes BioC.",
    name="nlmchem",
    epilog=_EPILOG,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
app.add_typer(keyphrases.app, name="keyphrases")
app.command("fetch", epilog=fetch.EXAMPLE)(fetch.fetch)
app.add_typer(corpora.app, name="corpora")
app.add_typer(train.app, name="train")
app.add_typer(evaluate.app, name="evaluate")
app.add_typer(ensemble.app, name="ensemble")
app.add_typer(silver.app, name="silver")
app.add_typer(curate.app, name="curate")
app.command("pairs", epilog=pairs.EXAMPLE)(pairs.pairs)
app.command("explain", epilog=explain.EXAMPLE)(explain.explain)
app.command("submit", epilog=submit.EXAMPLE)(submit.submit)
app.command("bench", epilog=bench.BENCH_EXAMPLE)(bench.bench)
app.command("doctor", epilog=bench.DOCTOR_EXAMPLE)(bench.doctor)
