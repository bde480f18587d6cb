"""`nlmchem lexicon build|info|lookup|explain|order`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon, Match
    from sieves.sieve import Candidate

__all__ = ["app"]

app = typer.Typer(
    help="Build a lexicon from MeSH and other names; ask one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

LexiconOption = Annotated[
    Path | None, typer.Option("--lexicon", help="A lexicon (.sqlite or .tsv) in place of the starter lexicon.")
]
AsOfOption = Annotated[int | None, typer.Option("--as-of", help="Answer with the ids of this MeSH year.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

BUILD_EXAMPLE = "Example: nlmchem lexicon build --desc desc2026.gz --supp supp2026.gz -o mesh.sqlite"
INFO_EXAMPLE = "Example: nlmchem lexicon info --lexicon mesh.sqlite"
LOOKUP_EXAMPLE = "Example: nlmchem lexicon lookup 'vitamin C' --lexicon mesh.sqlite"
EXPLAIN_EXAMPLE = "Example: nlmchem lexicon explain DHA --define 'DHA=docosahexaenoic acid' --lexicon mesh.sqlite"
ORDER_EXAMPLE = "Example: nlmchem lexicon order --gold gold/ --lexicon mesh.sqlite"


@app.command("build", epilog=BUILD_EXAMPLE)
def build(
    desc: Annotated[list[Path], typer.Option("--desc", help="NLM's descYYYY file, XML or gzip; newest first.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The lexicon to write.")],
    supp: Annotated[list[Path] | None, typer.Option("--supp", help="NLM's suppYYYY file; newest first.")] = None,
    history: Annotated[
        list[Path] | None, typer.Option("--history", help="A parents file of an earlier year, as parents_2021.json.")
    ] = None,
    names: Annotated[
        list[str] | None, typer.Option("--names", metavar="LAYER=FILE", help="Names of another terminology (TSV, CSV).")
    ] = None,
    crossref: Annotated[
        list[Path] | None, typer.Option("--crossref", help="A TSV that maps MeSH ids to those of other terminologies.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="LAYER=FILE", help="Annotated articles whose mentions count."),
    ] = None,
    branch: Annotated[
        list[str] | None, typer.Option("--branch", help="A tree number whose concepts are chemicals; repeat for more.")
    ] = None,
    starter: Annotated[bool, typer.Option("--starter/--no-starter", help="Put the starter lexicon first.")] = True,
) -> None:
    """Build a lexicon from NLM's yearly files and further names. The file is there whole or not at all."""
    from corpora.model.chemical import BRANCHES
    from sieves.lexicon.lexicon import STARTER
    from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

    sources = Sources(
        tuple(desc), tuple(supp or ()), tuple(history or ()), _layers(names, "--names"), tuple(crossref or ()),
        _layers(corpus, "--corpus"), (STARTER,) if starter else (), tuple(branch or BRANCHES),
    )  # fmt: skip
    version = build_mesh_lexicon(sources, out, lambda line: print(line, file=sys.stderr))
    print(f"{out}: version {version[:12]}")


@app.command("info", epilog=INFO_EXAMPLE)
def info(lexicon: LexiconOption = None, as_json: JsonOption = False) -> None:
    """Say what a lexicon holds: its version, sources, years, and how many names each layer has."""
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        told = {"version": opened.version, **opened.meta, **opened.counts()}
    told.pop("sha256", None)
    if as_json:
        print(json.dumps(told))
        return
    for key, value in told.items():
        print(f"{key}\t{value:,}" if isinstance(value, int) else f"{key}\t{' '.join(str(value).split())}")


@app.command("lookup", epilog=LOOKUP_EXAMPLE)
def lookup(
    name: Annotated[str, typer.Argument(help="A name, or a text in any case and punctuation.")],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look a name up: the concepts that bear it, best first; exit code 1 where there is none."""
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon, as_of) as opened:
        found = opened.lookup(name) or opened.relaxed(name)
    for match in found:
        print(json.dumps(_match(match)) if as_json else "\t".join(map(str, _match(match).values())))
    if not found:
        print(f"the lexicon has no {name!r}; `nlmchem lexicon explain` tries the sieves", file=sys.stderr)
        raise typer.Exit(1)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    mention: Annotated[str, typer.Argument(help="A mention as it stands in the text.")],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    define: Annotated[
        list[str] | None, typer.Option("--define", metavar="SHORT=LONG", help="A definition of the article.")
    ] = None,
    dense: Annotated[
        str, typer.Option(help="Ask the dense fallback, too: its encoder (default, or a path), or off.")
    ] = "off",
    dense_threshold: Annotated[
        float | None, typer.Option(help="Least cosine at which the dense fallback answers. [default: 0.85]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what every sieve makes of a mention, and which one wins."""
    from sieves.cascade import Cascade
    from sieves.lexicon.lexicon import Lexicon
    from sieves.sieve import Article

    pairs = [_pair(text, "--define") for text in define or ()]
    with Lexicon.open(lexicon, as_of) as opened:
        cascade = Cascade(opened)
        told = list(cascade.explain(mention, Article({short: (long,) for short, long in pairs})))
        near = _near(opened, lexicon, mention, dense, dense_threshold) if dense != "off" else None
    won = next((name for name, found in told if found), None)
    if near is not None:
        told.append(("dense", near.candidates))
        won = won or ("dense" if near.answers else None)
    if as_json:
        print(
            json.dumps({"mention": mention, "winner": won, "sieves": {n: [_candidate(c) for c in f] for n, f in told}})
        )
        return
    for name, found in told:
        mark = "->" if name == won else "  "
        said = "; ".join(_line(candidate) for candidate in found[:3]) or "nothing"
        print(f"{mark} {name}\t{said}")
    wanted = f" (the dense fallback wants a cosine of {near.threshold:g})" if near is not None else ""
    print("the first sieve with an answer wins" if won else f"no sieve knows {mention!r}: it gets -{wanted}")


@app.command("order", epilog=ORDER_EXAMPLE)
def order(
    gold: Annotated[list[str], typer.Option("--gold", help="Articles with gold mentions and ids.")],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure each sieve alone on gold mentions, and print the order of falling precision."""
    import corpora
    from nlmchem.abbreviations.article.stage import AbbreviationStage
    from sieves.lexicon.lexicon import Lexicon
    from sieves.ordering import learned_order

    with Lexicon.open(lexicon, as_of) as opened:
        documents = list(corpora.read(gold))
        AbbreviationStage()(documents)
        rows, learned = learned_order(documents, opened)
    if as_json:
        print(json.dumps({"order": learned, "sieves": [[r.sieve, r.reached, r.answered, r.right] for r in rows]}))
        return
    print("sieve\tmentions\tanswered\tprecision")
    for row in rows:
        print(f"{row.sieve}\t{row.reached}\t{row.answered}\t{'-' if row.precision is None else f'{row.precision:.3f}'}")
    print("order\t" + ",".join(learned))


@dataclass(frozen=True, slots=True)
class _Near:
    """What the dense fallback has for a mention: the nearest names, and whether the first is near enough."""

    candidates: list[Candidate]
    answers: bool
    threshold: float


def _near(lexicon: Lexicon, path: Path | None, mention: str, encoder: str, threshold: float | None) -> _Near:
    from sieves.dense.fallback import open_fallback
    from sieves.lexicon.keys import tidy

    fallback = open_fallback(lexicon, path, encoder, threshold, report=lambda line: print(line, file=sys.stderr))
    return _Near(fallback.nearest(tidy(mention)), bool(fallback([tidy(mention)])), fallback.threshold)


def _layers(given: list[str] | None, option: str) -> tuple[tuple[str, Path], ...]:
    return tuple((layer, Path(path)) for layer, path in (_pair(text, option) for text in given or ()))


def _pair(text: str, option: str) -> tuple[str, str]:
    from corpora.errors import ConfigurationError

    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise ConfigurationError(f"{option} is {text!r}; write it as NAME=VALUE")
    return left, right


def _match(match: Match) -> dict[str, str | int]:
    return {
        "identifier": match.identifier, "name": match.name, "preferred_name": match.preferred_name,
        "layer": match.layer, "count": match.count,
    }  # fmt: skip


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "identifiers": list(candidate.identifiers), "matched_name": candidate.matched_name, "layer": candidate.layer,
        "via": candidate.via, "score": candidate.score,
    }  # fmt: skip


def _line(candidate: Candidate) -> str:
    via = f" by way of {candidate.via!r}" if candidate.via else ""
    layer = f" in {candidate.layer}" if candidate.layer else ""
    score = f", score {candidate.score:.4f}" if candidate.score is not None else ""
    return f"{','.join(candidate.identifiers)} ({candidate.matched_name!r}{layer}{via}{score})"
