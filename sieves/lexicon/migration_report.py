"""The report of a migration: a table for people, and mappings in SSSOM for programs.

Source of the columns: SSSOM, https://mapping-commons.github.io/sssom/ (a simple standard for ontology mappings).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corpora.model.mesh_ids import bare_id
from corpora.model.spelling import respelt
from corpora.words.quantities import quantity
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.migrated_files import Migrated
from sieves.lexicon.migration import Fate, Outcome

TABLE, MAPPINGS = "migration.tsv", "migration.sssom.tsv"
COLUMNS = (
    "identifier", "name", "outcome", "successors", "successor_names", "why", "last_year", "since", "broader",
    "evidence", "mentions",
)  # fmt: skip

_REPLACED_BY, _CONSIDER, _NOT_FOUND = "IAO:0100001", "oboInOwl:consider", "sssom:NoTermFound"
_SSSOM_COLUMNS = (
    "subject_id", "subject_label", "predicate_id", "object_id", "object_label", "mapping_justification",
    "subject_source_version", "object_source_version", "comment",
)  # fmt: skip
_SSSOM_HEAD = """\
#mapping_set_id: urn:nlmchem:mesh-migration:{year}
#mapping_set_description: "Identifiers of earlier years of MeSH in MeSH {year}, as nlmchem lexicon migrate found them"
#license: https://www.nlm.nih.gov/databases/download/terms_and_conditions_mesh.html
#mapping_tool: nlmchem
#curie_map:
#  IAO: http://purl.obolibrary.org/obo/IAO_
#  mesh: http://id.nlm.nih.gov/mesh/
#  oboInOwl: http://www.geneontology.org/formats/oboInOwl#
#  semapv: https://w3id.org/semapv/vocab/
#  sssom: https://w3id.org/sssom/
"""


def table(migrated: Migrated, lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """A row for each identifier, in the order of the outcomes; the first row has the names of the columns."""
    yield COLUMNS
    for fate, number in _ordered(migrated.fates.items()):
        names = (lexicon.preferred_name(successor) or "" for successor in fate.successors)
        yield (
            bare_id(fate.identifier),
            lexicon.preferred_name(fate.identifier) or "",
            fate.outcome,
            ",".join(map(bare_id, fate.successors)),
            " | ".join(names),
            fate.why,
            fate.last,
            fate.since,
            ",".join(map(bare_id, fate.broader)),
            fate.evidence,
            str(number),
        )


def mappings(migrated: Migrated, lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """The rows of SSSOM: what replaces an identifier (`IAO:0100001`), what may (`oboInOwl:consider`), or that nothing
    does. Identifiers that were kept have no row."""
    yield _SSSOM_COLUMNS
    year = migrated.migration.year
    for fate, _ in _ordered(migrated.fates.items()):
        if fate.outcome is Outcome.KEPT:
            continue
        predicate = _CONSIDER if fate.outcome is Outcome.SEVERAL else _REPLACED_BY
        for successor in fate.successors or (_NOT_FOUND,):
            justification = "semapv:LexicalMatching" if fate.successors else "semapv:UnspecifiedMatching"
            yield (
                respelt(fate.identifier, "curie"),
                _label(lexicon, fate.identifier),
                predicate,
                respelt(successor, "curie"),
                _label(lexicon, successor) if fate.successors else "",
                justification,
                fate.last,
                year,
                f"{fate.outcome}: {fate.why}" if fate.why else str(fate.outcome),
            )


def sssom_head(migrated: Migrated) -> str:
    """The metadata at the start of the file of mappings."""
    return _SSSOM_HEAD.format(year=migrated.migration.year)


def summary(migrated: Migrated) -> str:
    """The counts in one sentence."""
    counted = []
    for outcome in Outcome:
        of_outcome = [(fate, number) for fate, number in migrated.fates.items() if fate.outcome is outcome]
        distinct = len({fate.identifier for fate, _ in of_outcome})
        counted.append(f"{outcome} {sum(number for _, number in of_outcome)} ({distinct} distinct)")
    size = " and ".join(
        text
        for number, text in (
            (migrated.articles, quantity(migrated.articles, "article")),
            (migrated.rows, quantity(migrated.rows, "row of a table", "rows of tables")),
        )
        if number
    )
    return f"{size or '0 articles'} in MeSH {migrated.migration.year}: {', '.join(counted)}"


def lines(rows: Iterable[tuple[str, ...]]) -> str:
    """Rows as TSV. No cell has a tab or a line end: names of a lexicon have neither."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)


def _ordered(fates: Iterable[tuple[Fate, int]]) -> list[tuple[Fate, int]]:
    order = {outcome: number for number, outcome in enumerate(Outcome)}
    return sorted(fates, key=lambda item: (-order[item[0].outcome], item[0].identifier, item[0].successors))


def _label(lexicon: Lexicon, identifier: str) -> str:
    return lexicon.preferred_name(identifier) or ""
