"""`nlmchem lexicon build|info|lookup|explain|order`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.commands.options import option
from nlmchem.cli.exit_codes import FAILED
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.old_groups import group
from nlmchem.cli.shared import AsOfOption, JsonOption, LexiconOption, OutFileOption, split_pair
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon
    from sieves.sieve import Candidate

app = group("Build a lexicon from MeSH and other sources, and look up names in a lexicon.", default="lookup")

BUILD_EXAMPLE = "Example: nlmchem lexicon build --desc desc2026.gz --supp supp2026.gz -o mesh.sqlite"
INFO_EXAMPLE = "Example: nlmchem lexicon info"
LOOKUP_EXAMPLE = "Example: nlmchem lexicon lookup 'vitamin C' D014867; nlmchem lexicon lookup - < names.txt"
EXPLAIN_EXAMPLE = "Example: nlmchem lexicon explain DHA --define 'DHA=docosahexaenoic acid'"
IDENTIFIER = "identifier"
ORDER_EXAMPLE = "Example: nlmchem lexicon order --gold gold/"


@dataclass(frozen=True, slots=True)
class LexiconSources:
    """The files that a lexicon is built from, besides the descriptors."""

    supp: tuple[Path, ...] = option((), "suppYYYY file of NLM; the newest first.", metavar="FILE", repeat=True)
    history: tuple[Path, ...] = option(
        (), "Parents file of an earlier year, for example parents_2021.json.", metavar="FILE", repeat=True
    )
    names: tuple[str, ...] = option((), "Names of another terminology (TSV or CSV).", metavar="LAYER=FILE", repeat=True)
    crossref: tuple[Path, ...] = option(
        (), "TSV file that maps MeSH ids to ids of other terminologies.", metavar="FILE", repeat=True
    )
    corpus: tuple[str, ...] = option(
        (), "Annotated articles; their mentions become names, with counts.", metavar="LAYER=FILE", repeat=True
    )
    branch: tuple[str, ...] = option(
        (),
        "Tree number of MeSH whose concepts are chemicals.",
        metavar="TREE",
        repeat=True,
        default_text="the branches of chemicals",
    )


@app.command("build", epilog=BUILD_EXAMPLE)
@expand_options
def build(
    desc: Annotated[
        list[Path],
        typer.Option("--desc", help="descYYYY file of NLM, XML or gzip; the newest first. Can be repeated."),
    ],
    out: OutFileOption,
    sources: LexiconSources,
    shipped_names: Annotated[
        bool,
        typer.Option(
            "--shipped-names/--no-shipped-names",
            help="Add the names that come with nlmchem: the starter names, and names of MeSH that the files lack.",
        ),
    ] = True,
    as_json: JsonOption = False,
) -> None:
    """Build a lexicon from the yearly files of NLM and from other names.

    The file is written only when it is complete.
    """
    from corpora.model.chemical import BRANCHES
    from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
    from sieves.lexicon.shipped import shipped_file
    from sieves.lexicon.starter import STARTER_NAMES

    files = Sources(
        tuple(desc),
        sources.supp,
        history=sources.history,
        names=_layers(sources.names, "names"),
        crossrefs=sources.crossref,
        registry=sources.crossref,
        corpora=_layers(sources.corpus, "corpus"),
        first=(STARTER_NAMES,) if shipped_names else (),
        earlier=shipped_file(warn) if shipped_names else None,
        branches=sources.branch or BRANCHES,
    )
    version = build_mesh_lexicon(files, out, warn)
    print(json.dumps({"lexicon": str(out), "version": version}) if as_json else f"{out}: version {version[:12]}")


@app.command("info", epilog=INFO_EXAMPLE)
def info(lexicon: LexiconOption = None, as_json: JsonOption = False) -> None:
    """Show which lexicon is in use, its version, sources and years, and the number of its concepts and names."""
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        facts = {"in use": opened.place, "version": opened.version, **opened.meta, **opened.counts()}
    for internal in ("sha256", "openings"):
        facts.pop(internal, None)
    if as_json:
        print(json.dumps(facts))
        return
    for key, value in facts.items():
        print(f"{key}\t{value:,}" if isinstance(value, int) else f"{key}\t{' '.join(str(value).split())}")


@app.command("lookup", epilog=LOOKUP_EXAMPLE)
def lookup(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...", help="Names in any case and punctuation, MeSH ids, CAS numbers; - for standard input."
        ),
    ],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look up names and identifiers: print the concepts of each, best first.

    The exit code is 1 if one of them is not found.
    """
    from sieves.lexicon.lexicon import Lexicon
    from sieves.lexicon.looking_up import COLUMNS, look_up

    queries = [line.strip() for line in sys.stdin if line.strip()] if names == ["-"] else names
    missing: list[str] = []
    with Lexicon.open(lexicon, as_of) as opened:
        if not as_json:
            print("\t".join(COLUMNS))
        for query in queries:
            found = look_up(opened, query)
            for entry in found:
                print(json.dumps(entry) if as_json else "\t".join(str(entry[column]) for column in COLUMNS))
            if not found:
                missing.append(query)
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        warn(f"the lexicon does not contain {shown}; `nlmchem lexicon explain` tries the sieves")
        raise typer.Exit(FAILED)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    mention: Annotated[str, typer.Argument(metavar="MENTION", help="A mention as in the text.")],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    define: Annotated[
        list[str] | None,
        typer.Option("--define", metavar="SHORT=LONG", help="Definition in the article. Can be repeated."),
    ] = None,
    dense: Annotated[
        str, typer.Option(help="Encoder of the dense fallback: default, the path of a model, or off.")
    ] = "off",
    dense_threshold: Annotated[
        float | None, typer.Option(help="Lowest cosine that the dense fallback accepts. [default: 0.85]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the answer of each sieve for a mention, and which one is used. For an identifier, show its concept."""
    from sieves.cascade import Cascade
    from sieves.lexicon.lexicon import Lexicon
    from sieves.sieve import Article

    pairs = [split_pair(text, "define") for text in define or ()]
    with Lexicon.open(lexicon, as_of) as opened:
        # In a text, the name of a concept is never its identifier: the question is what the identifier means.
        answers = _identified(opened, mention)
        near = None
        if not answers:
            answers = list(Cascade(opened).explain(mention, Article({short: (long,) for short, long in pairs})))
            near = _near(opened, lexicon, mention, dense, dense_threshold) if dense != "off" else None
    won = next((name for name, found in answers if found), None)
    if near is not None:
        answers.append(("dense", near.candidates))
        won = won or ("dense" if near.answers else None)
    if as_json:
        by_sieve = {name: [_candidate(candidate) for candidate in found] for name, found in answers}
        print(json.dumps({"mention": mention, "winner": won, "sieves": by_sieve}))
        return
    print("   sieve\tcandidates")
    for name, found in answers:
        mark = "->" if name == won else "  "
        answer = "; ".join(_line(candidate) for candidate in found[:3]) or "no answer"
        print(f"{mark} {name}\t{answer}")
    if won == IDENTIFIER:
        print(f"{mention} is an identifier; `nlmchem lexicon explain NAME` shows what the sieves find for a name")
        return
    needed = f" (the dense fallback needs a cosine of {near.threshold:g})" if near is not None else ""
    print(
        "the first sieve with an answer is used"
        if won
        else f"no sieve has an answer for {mention!r}: its identifier is -{needed}"
    )


@app.command("order", epilog=ORDER_EXAMPLE)
def order(
    gold: Annotated[
        list[str], typer.Option("--gold", help="Articles with gold mentions and identifiers. Can be repeated.")
    ],
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the precision of each sieve on gold mentions, and print the sieves with the highest precision first.

    `nlmchem annotate --sieves` takes the printed order.
    """
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


def _identified(lexicon: Lexicon, mention: str) -> list[tuple[str, list[Candidate]]]:
    """The concept of a MeSH identifier, as the answer of a sieve; empty for anything else."""
    from corpora.model.mesh_ids import mesh_id
    from sieves.lexicon.looking_up import by_identifier
    from sieves.sieve import Candidate

    if mesh_id(mention) is None:
        return []
    found = [Candidate((match.identifier,), IDENTIFIER, match.name) for match, _ in by_identifier(lexicon, mention)]
    return [(IDENTIFIER, found)] if found else []


@dataclass(frozen=True, slots=True)
class _Near:
    """The answer of the dense fallback: the nearest names, and whether the first one is near enough."""

    candidates: list[Candidate]
    answers: bool
    threshold: float


def _near(lexicon: Lexicon, path: Path | None, mention: str, encoder: str, threshold: float | None) -> _Near:
    from sieves.dense.fallback import open_fallback
    from sieves.lexicon.keys import tidy

    fallback = open_fallback(lexicon, path, encoder, threshold, report=warn)
    return _Near(fallback.nearest(tidy(mention)), bool(fallback([tidy(mention)])), fallback.threshold)


def _layers(given: tuple[str, ...], option: str) -> tuple[tuple[str, Path], ...]:
    return tuple((layer, Path(path)) for layer, path in (split_pair(text, option) for text in given))


def _candidate(candidate: Candidate) -> dict[str, object]:
    return {
        "identifiers": list(candidate.identifiers), "matched_name": candidate.matched_name, "layer": candidate.layer,
        "via": candidate.via, "score": candidate.score,
    }  # fmt: skip


def _line(candidate: Candidate) -> str:
    via = f" from {candidate.via!r}" if candidate.via else ""
    layer = f" in {candidate.layer}" if candidate.layer else ""
    score = f", score {candidate.score:.4f}" if candidate.score is not None else ""
    return f"{','.join(candidate.identifiers)} ({candidate.matched_name!r}{layer}{via}{score})"
