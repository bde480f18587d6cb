"""`nlmchem abbreviations`."""

from __future__ import annotations

from functools import partial
from json import dumps as json_text
from typing import Annotated

import typer

from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import InputsArgument, JsonLinesOption, SentenceEncoderOption
from nlmchem.commands.progress import warn

dumps = partial(json_text, ensure_ascii=False)
EXAMPLE = "Example: nlmchem abbreviations articles/ --json > abbreviations.jsonl"


def abbreviations(
    inputs: InputsArgument,
    as_json: JsonLinesOption = False,
    undefined: Annotated[
        bool, typer.Option("--undefined", help="List what short forms probably mean that articles do not define.")
    ] = False,
    dictionary: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Dictionary for --undefined: the folder of `nlmchem train senses`, or a file of "
            "`nlmchem corpora dictionary`. [default: embedded]",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Lowest probability of a sense for --undefined. [default: 0.8]", min=0, max=1),
    ] = None,
    encoder: SentenceEncoderOption = None,
) -> None:
    """List the abbreviations that articles define.

    Each line contains document, short form, long form, strategy, score and offsets. With --undefined, each line has an
    undefined short form, its most probable long form in a dictionary, its probability, its first place, the number of
    its places, and the next long forms.
    """
    from corpora.errors import ConfigurationError
    from nlmchem.abbreviations.article.output import COLUMNS, lines

    if undefined:
        _undefined(inputs, as_json, dictionary, threshold, encoder)
        return
    for flag, value in (("--dictionary", dictionary), ("--threshold", threshold), ("--encoder", encoder)):
        if value is not None:
            raise ConfigurationError(f"{flag} needs --undefined; add it, or leave {flag} out")
    if not as_json:
        print("\t".join(COLUMNS))
    articles, failed = 0, 0
    for outcome in lines(inputs, as_json, warn):
        articles += outcome.articles
        failed += outcome.failed
        for line in outcome.lines:
            print(line)
    warn(f"{articles} articles read, {failed} failed")
    if failed:
        raise typer.Exit(INCOMPLETE)


def _undefined(
    inputs: list[str], as_json: bool, dictionary: str | None, threshold: float | None, encoder: str | None
) -> None:
    from nlmchem.abbreviations.undefined import Expanded, SenseQuery, sense_source

    source = sense_source()
    answers = source.answers(inputs, SenseQuery(dictionary, threshold, encoder), warn)
    if not as_json:
        print("\t".join(source.columns))
    whole = Expanded()
    for one in answers:
        counts = (name for name in Expanded.__slots__ if name not in ("objects", "lines"))
        whole = Expanded((), (), *(getattr(whole, name) + getattr(one, name) for name in counts))
        for line in map(dumps, one.objects) if as_json else one.lines:
            print(line)
    warn(
        f"{whole.articles} articles read, {whole.failed} failed; {whole.undefined} undefined short forms, "
        f"{whole.known} in the dictionary, {whole.answered} with a sense"
    )
    if whole.failed:
        raise typer.Exit(INCOMPLETE)
