"""`nlmchem explain` and `nlmchem lexicon lookup`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from corpora.commands.command import FAILED, LOOKING, Call, Command, Progress, Result, ResultTable
from corpora.commands.options import argument, group, option
from corpora.commands.shared import read_text, text_option
from corpora.errors import Argument, ConfigurationError, command
from corpora.reporting import table_cell
from nlmchem.tagging.options import tagger_option
from sieves.lexicon.options import NamesOptions, YearOptions

if TYPE_CHECKING:
    from nlmchem.explaining.explanation import ExplainedSpan
    from sieves.sieve import SieveCandidate

_HEADER = "   text\tplaces\tscore\tsieve\tidentifiers\tprobability\tkind\twhy\tnumbers\tarticle"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions:
    article: tuple[str, ...] | None = argument(
        "Articles: files, folders or archives.", default=None, metavar="ARTICLE..."
    )
    text: str | None = text_option()
    mention: str | None = option(None, "Show only texts that contain this text, in any case.")
    tagger: str = tagger_option()
    decision: str | None = option(
        None,
        "knowledge, learnt, or the path of a model (.json).",
        metavar="NAME",
        default_text="learnt with the embedded tagger, else knowledge",
    )
    source: NamesOptions = group(NamesOptions)


def explain(options: ExplainOptions, progress: Progress) -> Result:
    """Show which texts of an article become mentions, which do not, and why.

    Each row has: at how many places the text is a mention, of how many; score or probability; sieve; identifiers and
    the probability that they are right if the text is a chemical; kind; the reasons in words; the numbers behind them;
    the article.
    """
    if bool(options.article) == (options.text is not None):
        raise ConfigurationError("name the articles, or give a ", Argument("text"), ": one of the two")

    def lines() -> Iterator[str]:
        yield _HEADER
        for name, row in _rows(options, progress):
            probability = row.identifier_probability
            values = (
                row.text, f"{row.stands}/{row.places}", f"{row.score:.4f}", row.sieve, ",".join(row.identifiers),
                "" if probability is None else f"{probability:.4f}", row.kind, row.why, row.reasons, name,
            )  # fmt: skip
            yield f"{'->' if row.stands else '  '} " + "\t".join(table_cell(value) or "-" for value in values)

    objects = ({"document": name, **asdict(row)} for name, row in _rows(options, progress))
    return Result(objects=objects, lines=lines())


def _rows(options: ExplainOptions, progress: Progress) -> Iterator[tuple[str, ExplainedSpan]]:
    """The documents by name, each with its rows whose text contains the mention that was asked for."""
    from bioc import BioCDocument

    from corpora.formats.text import add_paragraphs
    from corpora.reading import read
    from nlmchem.abbreviations import AbbreviationStage
    from nlmchem.explaining.explainer import Explainer
    from nlmchem.run.plan import Configuration
    from nlmchem.run.step import Context

    plan = Configuration.of(
        lexicon=options.source.lexicon, names=options.source.names, tagger=options.tagger,
        decision=options.decision, steps=("tag",),
    ).parse()  # fmt: skip
    wanted = (options.mention or "").casefold()
    with closing(Context(plan.chosen)) as context:
        explainer = Explainer(plan.chosen[0].options, context, [AbbreviationStage()])
        if (text := read_text(options.text)) is None:
            documents = read(options.article or (), report=progress)
        else:
            document = BioCDocument()
            document.id = "text"
            add_paragraphs(document, text)
            documents = iter([document])
        for document in documents:
            rows = [row for row in explainer(document) if wanted in row.text.casefold()]
            yield from ((str(document.id), row) for row in rows)
            if not rows:
                text = f" that contains {options.mention!r}" if options.mention else ""
                progress(f"{document.id}: no text was considered{text}")


EXPLAIN = Command(
    "explain", ExplainOptions, explain, Call({"article": ["article.xml"], "mention": "aspirin"}), heading=LOOKING
)


# -- nlmchem lexicon lookup ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    queries: tuple[str, ...] = argument(
        "Names in any case and punctuation, MeSH ids, CAS numbers, CHEBI:15365, PUBCHEM:962; - for standard input.",
        metavar="NAME...",
    )
    source: YearOptions = group(YearOptions)


def lexicon_lookup(options: LookupOptions, progress: Progress) -> Result:
    """Look up names and identifiers: print the concepts of each, best first.

    The exit code is 1 if one of them is not found. What the sieves take it for is suggested.
    """
    from sieves.cascade import Cascade
    from sieves.lexicon.looking_up import COLUMNS, CrossReferences, look_up

    result = Result()

    def rows() -> Iterator[tuple[Any, ...]]:
        missing: list[str] = []
        similar: list[tuple[str, SieveCandidate]] = []
        # Standard input is read only where it is wanted, line by line.
        is_stream = options.queries == ("-",)
        queries = (line.strip() for line in sys.stdin if line.strip()) if is_stream else options.queries
        with options.source.open(progress) as lexicon:
            references, cascade = CrossReferences(lexicon), None
            for query in queries:
                entries = look_up(lexicon, query, references)
                yield from (tuple(entry[column] for column in COLUMNS) for entry in entries)
                if not entries:
                    missing.append(query)
                    if len(missing) <= _NAMED:
                        cascade = cascade or Cascade(lexicon)
                        similar += [(query, candidate) for candidate in cascade.candidates(query)[:1]]
        if missing:
            result.exit_code = FAILED
            result.problems.append(_not_found(missing, similar))

    result.table = ResultTable(tuple(COLUMNS), rows())
    return result


_NAMED = 5
"""Names that are listed in a message."""


def _not_found(missing: list[str], similar: list[tuple[str, SieveCandidate]]) -> str:
    """The message about queries without a concept. `similar`: what the sieves take some of them for."""
    from sieves.lexicon.further_names import identifier_of

    more = len(missing) - _NAMED
    shown = ", ".join(map(repr, missing[:_NAMED])) + (f" and {more} more" if more > 0 else "")
    absent = f"the lexicon does not contain {shown}"
    if all((identifier_of(name) or "").startswith("CAS:") for name in missing):
        return (
            f"{absent}; the lexicon of nlmchem has the CAS numbers of supplementary records, and the files of NLM also "
            f"those of headings: make a lexicon of them with {command('lexicon build')}"
        )
    if not similar:
        return f"{absent}; {command('lexicon explain')} tries the sieves"
    suggested = (f"{query!r}: {', '.join(meant.identifiers)} ({meant.matched_name})" for query, meant in similar)
    return f"{absent}; the sieves suggest {'; '.join(suggested)}"


LOOKUP = Command(
    "lexicon lookup", LookupOptions, lexicon_lookup,
    Call({"queries": ["vitamin C", "D014867"]}),
)  # fmt: skip
