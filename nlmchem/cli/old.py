"""Commands of the old shape, until each is a `Command` beside its work."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

PLACES = {
    "convert": "convert:convert:EXAMPLE",
    "view": "view:view:EXAMPLE",
    "lexicon build": "lexicon:build:BUILD_EXAMPLE",
    "lexicon explain": "lexicon:explain:EXPLAIN_EXAMPLE",
    "lexicon order": "lexicon:order:ORDER_EXAMPLE",
    "index list": "index:list_terms:LIST_EXAMPLE",
    "index suggest": "index:suggest:SUGGEST_EXAMPLE",
    "index explain": "index:explain:EXPLAIN_EXAMPLE",
    "explain": "explain:explain:EXAMPLE",
    "evaluate spans": "evaluate.tasks:spans:SPANS_EXAMPLE",
    "evaluate identifiers": "evaluate.tasks:identifiers:IDENTIFIERS_EXAMPLE",
    "evaluate indexing": "evaluate.tasks:indexing:INDEXING_EXAMPLE",
    "evaluate abbreviations": "evaluate.abbreviations:abbreviations:EXAMPLE",
    "ensemble spans": "ensemble:spans:SPANS_EXAMPLE",
    "ensemble identifiers": "ensemble:identifiers:IDENTIFIERS_EXAMPLE",
    "ensemble indexing": "ensemble:indexing:INDEXING_EXAMPLE",
    "ensemble agreement": "ensemble:agreement:AGREEMENT_EXAMPLE",
    "silver vote": "silver:vote:EXAMPLE",
    "silver build": "silver:build:BUILD_EXAMPLE",
    "curate select": "curate:select:SELECT_EXAMPLE",
    "curate export": "curate:export:EXPORT_EXAMPLE",
    "curate import": "curate:import_:IMPORT_EXAMPLE",
    "curate learn": "curate:learn:LEARN_EXAMPLE",
    "corpora list": "corpora.reading:list_:LIST_EXAMPLE",
    "corpora info": "corpora.reading:info:INFO_EXAMPLE",
    "corpora stats": "corpora.reading:stats:STATS_EXAMPLE",
    "corpora convert": "corpora.reading:convert:CONVERT_EXAMPLE",
    "corpora split": "corpora.splits:split:SPLIT_EXAMPLE",
    "corpora leaks": "corpora.splits:leaks:LEAKS_EXAMPLE",
    "corpora augment": "corpora.making:augment:AUGMENT_EXAMPLE",
    "corpora distant": "corpora.making:distant:DISTANT_EXAMPLE",
    "corpora dictionary": "corpora.making:dictionary:DICTIONARY_EXAMPLE",
    "train tagger": "train.tagger:tagger:EXAMPLE",
    "train mean": "train.mean:mean:EXAMPLE",
    "train decision": "train.decision:decision:EXAMPLE",
    "train dense": "train.dense:dense:EXAMPLE",
    "train indexer": "train.indexer:indexer:EXAMPLE",
    "submit": "submit:submit:EXAMPLE",
    "fetch": "fetch:fetch:EXAMPLE",
    "bench": "bench:bench:BENCH_EXAMPLE",
    "doctor": "bench:doctor:DOCTOR_EXAMPLE",
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
