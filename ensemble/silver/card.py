"""The card of a silver corpus, `card.md`, a jinja2 template with the metadata of the Hugging Face Hub; Croissant.

Its readers do not know nlmchem: what is it, may I use it, how do I load it, how was it made, what is wrong with it. It
has no date, so equal corpora have equal cards. Some of its sentences are also in the metadata of a data set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from corpora.errors import command
from corpora.storage.atomic import sha256_of
from corpora.words.licences import OTHER, UNKNOWN
from corpora.words.quantities import quantity
from ensemble.silver.record import CorpusFacts, LicenceCount, RunFacts
from ensemble.silver.tables import COLUMNS, CONFIGURATION, FOLDER, TITLE, FieldType, TableField, documented

LANGUAGE = "en"
TAGS = ("biology", "chemistry", "medical", "biomedical text mining", "MeSH", "BioC", "silver standard")
USES = (
    "Training of taggers and linkers of chemicals, beside articles that people annotated.",
    "Do not evaluate on the corpus: no person has checked the annotations.",
)
LIMITATIONS = (
    "Errors of the runs are errors of the corpus: mentions that all runs miss are missing, and mentions that most runs "
    "get wrong are wrong. A model that trains on the corpus learns these errors.",
    "Articles may also be in corpora that people annotated. Remove those of your evaluation before you train.",
)
BIASES = (
    "Chemicals whose names are in the lexicons or training data of the runs are found more often than others.",
    "Runs that have a model or a lexicon in common make the same errors, and so vote for them together.",
)
PERSONAL = (
    "The texts are published articles. They can contain names of persons, in acknowledgements for example. Nothing was "
    "added or removed."
)
_SIZES = (
    "n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B", "10B<n<100B",
    "100B<n<1T", "n>1T",
)  # fmt: skip
_HUB_LICENCES = frozenset((
    "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0",
    "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0",
    "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0",
))  # fmt: skip
"""The names of licences that the Hub knows."""


def summary(facts: CorpusFacts) -> str:
    """What the corpus is, in three sentences."""
    counts = facts.counts
    articles = "1 article" if counts["documents"] == 1 else f"{counts['documents']:,} articles"
    return (
        f"{articles} with {counts['mentions']:,} mentions of chemicals, linked to {counts['distinct_identifiers']:,} "
        f"concepts of MeSH. Programs found them: a mention is listed if at least {facts.rule.threshold:.4f} of "
        f"{quantity(len(facts.runs), 'run')} have it. No person has checked the annotations."
    )


def method(facts: CorpusFacts) -> list[str]:
    """How the annotations were made, one step a sentence."""
    rule = facts.rule
    overlaps = {
        "merge": "Overlapping spans were merged into one span, from the lowest start to the highest end.",
        "best": "Of overlapping spans, the span with the highest score was kept.",
    }[rule.overlaps]
    return [
        f"A span is in the corpus if at least {rule.threshold:.4f} of the runs, by weight, have it.",
        overlaps,
        f"The identifiers of a {'mention' if rule.per_mention else 'text'} in a document are those with most votes.",
        "An index term is in the corpus if at least the same share of the runs has it.",
    ]


def size_category(articles: int) -> str:
    """The class of sizes, as the Hub names it: `1K<n<10K` for 1,000 to 9,999 articles."""
    return _SIZES[min(max(0, len(str(articles)) - 3), len(_SIZES) - 1)]


def card(facts: CorpusFacts) -> str:
    from jinja2 import Environment, StrictUndefined

    counts, total = facts.counts, sum(run.run.weight for run in facts.runs)
    rows = {
        "articles": counts["documents"],
        "articles without a mention": counts["without_mentions"],
        "articles that are not in English": counts["not_english"],
        "passages": counts["passages"],
        "characters": counts["characters"],
        "mentions": counts["mentions"],
        "mentions that were merged (no run has exactly this span)": counts["merged"],
        "mentions without a concept": counts["without_identifier"],
        "distinct texts of mentions": counts["distinct_texts"],
        "distinct MeSH concepts": counts["distinct_identifiers"],
        "index terms": counts["index_terms"],
        "distinct spans over all runs, before the vote": counts["candidates"],
    }
    whole = sum(facts.shares.values())
    splits = [(name, number, f"{facts.shares[name] / whole:.4f}") for name, number in facts.splits.items()]
    licences = [(count.licence, count.url or "-", count.articles) for count in facts.licences]
    runs = [
        (
            run.run.name, f"{run.run.weight / total:.4f}", run.run.documents, run.run.mentions, run.run.terms,
            _first(run.run.annotators), f"`{run.run.digest[:12]}`",
        )
        for run in facts.runs
    ]  # fmt: skip
    resources = [(run.run.name, name, f"`{value}`") for run in facts.runs for name, value in run.resources.items()]
    run_columns = ("run", "weight", "articles", "mentions", "index terms", "annotators", "hash of its annotations")
    # The card is Markdown, which has no common way to escape.
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    )
    return environment.from_string(Path(__file__).with_name("card.md").read_text("utf-8")).render(
        facts=facts,
        is_dataset=bool(facts.tables),
        pretty_name=json.dumps(facts.about.title, ensure_ascii=False),
        language=LANGUAGE,
        tags=TAGS,
        size=size_category(counts["documents"]),
        hub_licences=sorted({_hub_licence(licence) for licence in facts.licences}),
        configuration=CONFIGURATION,
        folder=FOLDER,
        summary=summary(facts),
        counts=_table(("", "number"), rows.items(), (1,)),
        splits=_table(("split", "articles", "share that was asked for"), splits, (1, 2)),
        licences=_table(("licence of the article", "address", "articles"), licences, (2,)),
        left_out=", ".join(f"{number:,} {code}" for code, number in facts.left_out.items()),
        unclear=sum(count.articles for count in facts.licences if count.licence in (UNKNOWN, OTHER)),
        columns=_table(
            ("column", "type", "meaning"), ((f"`{name}`", kind, text) for name, kind, text in documented(COLUMNS))
        ),
        runs=_table(run_columns, runs, (1, 2, 3, 4)),
        resources=resources and _table(("run", "step and resource", "sha256, name or version"), resources),
        not_recorded=[run.run.name for run in facts.runs if run.configuration is None],
        method=method(facts),
        limits=(*USES, *LIMITATIONS, *BIASES, PERSONAL),
        command=command,
        made_with=", ".join(f"{name} {version}" for name, version in facts.versions.items()),
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> str:
    """A table; the columns at the places `numbers` are set to the right."""
    lines = [
        f"| {' | '.join(columns)} |",
        f"|{'|'.join('---:' if place in numbers else '---' for place in range(len(columns)))}|",
    ]
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((*lines, ""))


def _hub_licence(licence: LicenceCount) -> str:
    """The name that the Hub has for a licence: with a version, `cc` for one of Creative Commons without it."""
    if licence.licence == UNKNOWN:
        return "unknown"
    version = licence.url.rstrip("/").rpartition("/")[2]
    name = f"{licence.licence.lower().replace(' ', '-')}-{version}"
    if name in _HUB_LICENCES:
        return name
    return "cc" if licence.licence.startswith("CC") else "other"


def _first(annotators: Sequence[str]) -> str:
    """The annotators of a run, the most frequent first; three of many."""
    more = f" and {quantity(len(annotators) - 3, 'other')}" if len(annotators) > 3 else ""
    return ", ".join(annotators[:3]) + more


# -- Croissant ----------------------------------------------------------------------------------

# Version 1.1 (MLCommons), with its responsible-AI fields and provenance in the vocabulary of PROV-O (W3C), as the
# specification recommends. It is JSON-LD: data-set search engines and loaders such as `mlcroissant` read it.

CROISSANT = "croissant.json"
VERSION = "http://mlcommons.org/croissant/1.1"

COLLECTION = (
    "The texts are published biomedical articles, with their passages as the source files have them. Each article has "
    "its identifiers (PMCID, PMID, DOI) where its file states them, and its licence."
)
SOCIAL_IMPACT = (
    "Labels by programs make training data for chemicals in many articles available without the work of annotators. "
    "Whoever uses models for decisions about health must check them on articles that people annotated."
)

Json = dict[str, Any]

_OWN_TERMS = (
    "annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "excludes", "extract", "field",
    "fileProperty", "fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "readLines", "recordSet", "references", "regex", "repeated", "replace", "samplingRate",
    "sdVersion", "separator", "source", "subField", "transform", "unArchive", "value",
)  # fmt: skip
"""Terms of Croissant. The context of every file declares all of them."""
CONTEXT: Json = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "description": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _OWN_TERMS},
}
_TYPES = {FieldType.TEXT: "sc:Text", FieldType.INTEGER: "cr:Int64", FieldType.NUMBER: "cr:Float64"}
_PARQUET = "application/x-parquet"
_FILES = f"{CONFIGURATION}-files"


def croissant(facts: CorpusFacts, folder: Path) -> Json:
    """The metadata of the data set in a folder, whose table is written. Raises `OSError`."""
    about = facts.about
    stated = {
        "url": about.url,
        "datePublished": about.published,
        "citeAs": about.citation,
        "version": about.version,
        "creator": {"@type": "Organization", "name": about.creator} if about.creator else "",
    }
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": about.title,
        "description": summary(facts),
        **{key: value for key, value in stated.items() if value},
        "license": sorted({licence.url or licence.licence for licence in facts.licences}),
        "inLanguage": LANGUAGE,
        "keywords": list(TAGS),
        **_responsible(facts),
        **_provenance(facts),
        "distribution": [*_files(facts, folder)],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": CONFIGURATION,
                "name": CONFIGURATION,
                "description": TITLE,
                "field": [_field(column) for column in COLUMNS],
            }
        ],
    }


def _files(facts: CorpusFacts, folder: Path) -> Iterator[Json]:
    """Each file of the table, and the set of them."""
    for file in facts.tables:
        path = folder / file.name
        yield {
            "@type": "cr:FileObject",
            "@id": file.name,
            "name": file.name,
            "description": f"{quantity(file.documents, 'article')} of the split {file.split}",
            "contentUrl": file.name,
            "contentSize": f"{path.stat().st_size} B",
            "encodingFormat": _PARQUET,
            "sha256": sha256_of(path),
        }
    yield {
        "@type": "cr:FileSet",
        "@id": _FILES,
        "name": _FILES,
        "description": TITLE,
        "encodingFormat": _PARQUET,
        "includes": f"{FOLDER}/*.parquet",
    }


def _field(column: TableField) -> Json:
    """A column, with the parts of a structure as fields of their own."""
    source = {"fileSet": {"@id": _FILES}, "extract": {"column": column.name}}
    id = f"{CONFIGURATION}/{column.name}"
    if not column.parts:
        return _leaf(id, column, source)
    parts = [
        _leaf(f"{id}/{part.name}", part, {**source, "transform": {"jsonPath": part.name}}) for part in column.parts
    ]
    return {**_named(id, column), "repeated": True, "subField": parts}


def _leaf(id: str, column: TableField, source: Json) -> Json:
    array = {"isArray": True, "arrayShape": ",".join(["-1"] * column.lists)} if column.lists else {}
    return {**_named(id, column), "dataType": _TYPES[column.type], **array, "source": source}


def _named(id: str, column: TableField) -> Json:
    return {"@type": "cr:Field", "@id": id, "name": column.name, "description": column.meaning}


# -- responsible AI and provenance ----------------------------------------------------------------


def _responsible(facts: CorpusFacts) -> Json:
    return {
        "rai:dataCollection": COLLECTION,
        "rai:dataCollectionType": ["Secondary Data Analysis"],
        "rai:dataAnnotationProtocol": method(facts),
        "rai:dataAnnotationPlatform": [f"nlmchem {facts.versions['nlmchem']}"],
        "rai:machineAnnotationTools": sorted({name for run in facts.runs for name in run.run.annotators}),
        "rai:annotationsPerItem": f"{quantity(len(facts.runs), 'run')}; a mention names those that have it",
        "rai:dataUseCases": list(USES),
        "rai:dataLimitations": list(LIMITATIONS),
        "rai:dataBiases": list(BIASES),
        "rai:personalSensitiveInformation": [PERSONAL],
        "rai:dataSocialImpact": SOCIAL_IMPACT,
        "rai:hasSyntheticData": False,
    }


def _provenance(facts: CorpusFacts) -> Json:
    vote = {
        "@type": "prov:Activity",
        "@id": f"urn:nlmchem:vote:{facts.annotator.rpartition('@')[2]}",
        "prov:label": "Vote of the runs",
        "prov:wasAssociatedWith": _software(facts.versions["nlmchem"]),
    }
    return {"prov:wasDerivedFrom": [_run(run) for run in facts.runs], "prov:wasGeneratedBy": vote}


def _run(run: RunFacts) -> Json:
    entity: Json = {
        "@type": "prov:Entity",
        "@id": f"urn:sha256:{run.run.digest}",
        "prov:label": f"Run {run.run.name}: {quantity(run.run.mentions, 'mention')}",
    }
    if run.configuration is None:
        return entity
    used = [{"@type": "prov:Entity", "prov:label": name, "prov:value": value} for name, value in run.resources.items()]
    activity = {
        "@type": "prov:Activity",
        "prov:label": f"Annotation by the run {run.run.name}",
        "prov:wasAssociatedWith": _software(str(run.configuration.get("version"))),
        "prov:used": used,
    }
    return {**entity, "prov:wasGeneratedBy": activity}


def _software(version: str) -> Json:
    return {"@type": "prov:SoftwareAgent", "prov:label": f"nlmchem {version}"}
