"""The Croissant metadata of a data set (version 1.1, MLCommons), with its responsible-AI fields and provenance.

Croissant is JSON-LD: data-set search engines and loaders such as `mlcroissant` read it. Provenance has the vocabulary
of PROV-O (W3C), as the specification recommends. There is no date unless the makers state one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpora.storage.atomic import sha256_of
from corpora.words.quantities import quantity
from ensemble.silver.card import BIASES, LANGUAGE, LIMITATIONS, PERSONAL, TAGS, USES, method, summary
from ensemble.silver.record import CorpusFacts, RunFacts
from ensemble.silver.tables import COLUMNS, CONFIGURATION, FOLDER, TITLE, FieldType, TableField

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
