"""`nlmchem lexicon explain` and `nlmchem lexicon order`: the answers of the sieves, and how often they are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import split_pair
from corpora.errors import command
from nlmchem.steps.normalize import SieveOrderOptions
from sieves.dense.options import OFF, DenseOptions
from sieves.lexicon.options import YearOptions

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon
    from sieves.sieve import SieveCandidate

IDENTIFIER, DENSE = "identifier", "dense"
_SHOWN = 3
"""Candidates of each sieve in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SieveOptions:
    """The options of `nlmchem lexicon explain`."""

    mention: str = argument("A mention as in the text.")
    source: YearOptions = group(YearOptions)
    define: tuple[str, ...] = option((), "Definition in the article.", metavar="SHORT=LONG", repeat=True)
    fallback: DenseOptions = group(DenseOptions)
    order: SieveOrderOptions = group(SieveOrderOptions)


@dataclass(frozen=True, slots=True)
class _NearestNames:
    """The answer of the dense fallback: the nearest names, and whether the first one is near enough."""

    candidates: list[SieveCandidate]
    answers: bool
    threshold: float


def lexicon_explain(options: SieveOptions, progress: Progress) -> Result:
    """Show the answer of each sieve for a mention, and which one is used. For an identifier, show its concept."""
    from sieves.cascade import Cascade
    from sieves.registry import DEFAULT_ORDER
    from sieves.sieve import ArticleContext

    definitions = {short: (long,) for short, long in (split_pair(text, "define") for text in options.define)}
    nearest = None
    with options.source.open(progress) as lexicon:
        # In a text, the name of a concept is never its identifier: the question is what the identifier means.
        answers = _identified(lexicon, options.mention)
        if not answers:
            cascade = Cascade(lexicon, options.order.sieves or DEFAULT_ORDER)
            answers = list(cascade.explain(options.mention, ArticleContext(definitions)))
            nearest = _nearest(lexicon, options, progress)
    won = next((sieve for sieve, candidates in answers if candidates), None)
    if nearest is not None:
        answers.append((DENSE, nearest.candidates))
        won = won or (DENSE if nearest.answers else None)
    by_sieve = {sieve: [_fields(candidate) for candidate in candidates] for sieve, candidates in answers}
    return record(
        {"mention": options.mention, "winner": won, "sieves": by_sieve},
        "   sieve\tcandidates",
        *(_line(sieve, candidates, won) for sieve, candidates in answers),
        _summary(options.mention, won, nearest),
    )


def _identified(lexicon: Lexicon, mention: str) -> list[tuple[str, list[SieveCandidate]]]:
    """The concept of a MeSH identifier, as the answer of a sieve; empty for anything else."""
    from corpora.model.mesh_ids import mesh_id
    from sieves.lexicon.looking_up import by_identifier
    from sieves.sieve import SieveCandidate

    if mesh_id(mention) is None:
        return []
    concepts = [
        SieveCandidate((match.identifier,), IDENTIFIER, match.name) for match, _ in by_identifier(lexicon, mention)
    ]
    return [(IDENTIFIER, concepts)] if concepts else []


def _nearest(lexicon: Lexicon, options: SieveOptions, progress: Progress) -> _NearestNames | None:
    encoder = options.fallback.dense
    if encoder in (None, OFF):
        return None
    from sieves.dense.fallback import open_fallback
    from sieves.lexicon.keys import tidy

    name = tidy(options.mention)
    fallback = open_fallback(
        lexicon, options.source.path, str(encoder), options.fallback.dense_threshold, report=progress
    )
    return _NearestNames(fallback.nearest(name), bool(fallback([name])), fallback.threshold)


def _line(sieve: str, candidates: list[SieveCandidate], won: str | None) -> str:
    answer = "; ".join(map(_described, candidates[:_SHOWN])) or "no answer"
    return f"{'->' if sieve == won else '  '} {sieve}\t{answer}"


def _summary(mention: str, won: str | None, nearest: _NearestNames | None) -> str:
    if won == IDENTIFIER:
        return f"{mention} is an identifier; {command('lexicon explain NAME')} shows what the sieves find for a name"
    if won:
        return "the first sieve with an answer is used"
    needed = f" (the dense fallback needs a cosine of {nearest.threshold:g})" if nearest is not None else ""
    return f"no sieve has an answer for {mention!r}: its identifier is -{needed}"


def _fields(candidate: SieveCandidate) -> dict[str, Any]:
    return {
        "identifiers": list(candidate.identifiers), "matched_name": candidate.matched_name, "layer": candidate.layer,
        "via": candidate.via, "score": candidate.score,
    }  # fmt: skip


def _described(candidate: SieveCandidate) -> str:
    via = f" from {candidate.via!r}" if candidate.via else ""
    layer = f" in {candidate.layer}" if candidate.layer else ""
    score = f", score {candidate.score:.4f}" if candidate.score is not None else ""
    return f"{','.join(candidate.identifiers)} ({candidate.matched_name!r}{layer}{via}{score})"


EXPLAIN = Command(
    "lexicon explain", SieveOptions, lexicon_explain,
    Call({"mention": "DHA", "define": ["DHA=docosahexaenoic acid"]}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions:
    """The options of `nlmchem lexicon order`."""

    gold: tuple[str, ...] = option(
        REQUIRED, "Articles with gold mentions and identifiers.", metavar="PATH", repeat=True
    )
    source: YearOptions = group(YearOptions)


def lexicon_order(options: OrderOptions, progress: Progress) -> Result:
    """Measure the precision of each sieve on gold mentions, and print the sieves with the highest precision first.

    The option `sieves` of `nlmchem annotate` takes the printed order.
    """
    from corpora.reading import read
    from nlmchem.abbreviations import AbbreviationStage
    from sieves.cascade import learned_order

    with options.source.open(progress) as lexicon:
        documents = list(read(options.gold, report=progress))
        AbbreviationStage()(documents)
        rows, order = learned_order(documents, lexicon)
    cells = (
        (row.sieve, row.reached, row.answered, "-" if row.precision is None else f"{row.precision:.3f}") for row in rows
    )
    return record(
        {"order": order, "sieves": [[row.sieve, row.reached, row.answered, row.right] for row in rows]},
        "sieve\tmentions\tanswered\tprecision",
        *("\t".join(map(str, row)) for row in cells),
        "order\t" + ",".join(order),
    )


ORDER = Command("lexicon order", OrderOptions, lexicon_order, Call({"gold": ["gold/"]}))
