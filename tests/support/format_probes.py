"""What each format that is read does with input that goes wrong elsewhere: one small input for each cell of a table.

    python tests/support/format_probes.py        # prints the table of docs/reference/formats.md

The rows are the formats of the registry, so that a new format must fill its row. An outcome is `read`, `reported`
(read, with a sentence) or `refused` (with what, where and what to do); `-` is a cell without meaning in the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora import reading
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.storage import inputs
from corpora.storage.selection import Selection

PROPERTIES = {
    "ids": "two articles without ids",
    "offsets": "offsets in bytes",
    "unknown parts": "a row, element or key that the format does not have",
    "joined files": "two files, one after another",
    "server errors": "the answer of a server with the suffix of the format",
    "CR line ends": "a carriage return in place of each line feed",
    "comments": "a comment",
    "labels": "two types at one place",
    "relations": "a relation of two mentions",
}
"""The columns of the table, and what each input has."""
READ, REPORTED, REFUSED, NONE = "read", "reported", "refused", "-"


@dataclass(frozen=True)
class Probe:
    """An input and its outcome. `articles`: the id and the number of mentions of each article that is read.

    `says`: a part of the first sentence of what is reported or refused. `beside`: another file, by its suffix.
    """

    content: str | bytes
    outcome: str
    articles: tuple[tuple[str, int], ...] = ()
    says: str = ""
    relations: int = 0
    beside: tuple[str, str] | None = None


def outcome_of(format: str, probe: Probe, folder: Path) -> tuple[str, tuple[tuple[str, int], ...], str, int]:
    """Outcome, articles, first sentence and number of relations of a probe that is read."""
    suffix = {"brat": ".txt", "inception": ".json"}.get(format) or Path(f"x{registry.suffix_of(format)}").suffix
    path = folder / f"x{suffix}"
    path.write_bytes(probe.content if isinstance(probe.content, bytes) else probe.content.encode())
    if probe.beside is not None:
        path.with_suffix(probe.beside[0]).write_text(probe.beside[1], encoding="utf-8", newline="")
    notes: list[str] = []
    selection = Selection(lines=format == "lines")
    items = list(reading.articles(inputs.expand([str(path)]), notes.append, selection))
    faults = [str(item) for item in items if isinstance(item, reading.Fault)]
    documents = [item.document for item in items if isinstance(item, reading.ReadArticle)]
    found = tuple((one.id, sum(1 for _ in mentions(one, None))) for one in documents)
    relations = sum(len(holder.relations) for one in documents for holder in (one, *one.passages))
    outcome = REFUSED if faults else REPORTED if notes else READ
    return outcome, found, next(iter([*faults, *notes]), ""), relations


# -- BioC ---------------------------------------------------------------------------------------

ONE, TWO = (("1", 1),), (("1", 1), ("2", 1))
NUMBERED = (("x-1", 1), ("x-2", 1))
TEXT = "βeta zinc"
RELATION = '<relation id="R1"><node refid="m" role="a"/><node refid="n" role="b"/></relation>'
EMPTY_RESULT = "<eFetchResult><ERROR>ID list is empty!</ERROR></eFetchResult>"
WEB_PAGE = "<!DOCTYPE html><html><head><title>502</title></head><body><article>x</article></body></html>"


def xml_mark(id: str = "m", start: int = 5, type: str = "Chemical") -> str:
    return (
        f'<annotation id="{id}"><infon key="type">{type}</infon><location offset="{start}" length="4"/>'
        "<text>zinc</text></annotation>"
    )


def xml_article(id: str | None = "1", inside: str = "", marks: str = "") -> str:
    name = "" if id is None else f"<id>{id}</id>"
    passage = f"<passage><offset>0</offset><text>{TEXT}</text>{marks or xml_mark()}</passage>"
    return f"<document>{name}{passage}{inside}</document>"


def xml(*articles: str) -> str:
    return f'<?xml version="1.0"?>\n<collection><source>s</source>{"".join(articles)}</collection>\n'


BIOC_XML = {
    "ids": Probe(xml(xml_article(None), xml_article(None)), READ, NUMBERED),
    "offsets": Probe(xml(xml_article(marks=xml_mark(start=6))), REPORTED, ONE, 'offsets="bytes"'),
    "unknown parts": Probe(xml(xml_article(inside="<note>x</note>")), REPORTED, ONE, "<note> is not part of BioC"),
    "joined files": Probe(xml(xml_article()) + xml(xml_article("2")), READ, TWO),
    "server errors": Probe(EMPTY_RESULT, REFUSED, says="in place of an article: ID list is empty!"),
    "CR line ends": Probe(xml(xml_article()).replace("\n", "\r"), READ, ONE),
    "comments": Probe(xml("<!-- c -->", xml_article(inside="<!-- c -->")), READ, ONE),
    "labels": Probe(xml(xml_article(marks=xml_mark() + xml_mark("n", type="Element"))), READ, (("1", 2),)),
    "relations": Probe(
        xml(xml_article(inside=RELATION, marks=xml_mark() + xml_mark("n"))), READ, (("1", 2),), relations=1
    ),
}


def json_mark(id: str = "m", start: int = 5, type: str = "Chemical") -> dict[str, Any]:
    return {"id": id, "infons": {"type": type}, "text": "zinc", "locations": [{"offset": start, "length": 4}]}


def json_article(id: str | None = "1", marks: list[Any] | None = None, **others: Any) -> str:
    value: dict[str, Any] = {} if id is None else {"id": id}
    passage = {"offset": 0, "infons": {}, "text": TEXT, "annotations": marks or [json_mark()]}
    return json.dumps({**value, "passages": [passage], **others}, ensure_ascii=False)


def collection(*articles: str) -> str:
    return '{"source": "s",\n"documents": [\n' + ",\n".join(articles) + "\n]}\n"


def lined(*articles: str) -> str:
    return "".join(f"{article}\n" for article in articles)


JSON_RELATION = [{"id": "R1", "infons": {}, "nodes": [{"refid": "m", "role": "a"}, {"refid": "n", "role": "b"}]}]
JSON_ERROR = '{"error": "API rate limit exceeded", "count": "4"}'


def json_probes(join: Any) -> dict[str, Probe]:
    both = [json_mark(), json_mark("n", type="Element")]
    return {
        "ids": Probe(join(json_article(None), json_article(None)), READ, NUMBERED),
        "offsets": Probe(join(json_article(marks=[json_mark(start=6)])), REPORTED, ONE, 'offsets="bytes"'),
        "unknown parts": Probe(join(json_article(note="x")), READ, ONE),
        "joined files": Probe(join(json_article()) + join(json_article("2")), READ, TWO),
        "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
        "CR line ends": Probe(join(json_article(), json_article("2")).replace("\n", "\r"), READ, TWO),
        "comments": Probe("# comment\n" + join(json_article()), REFUSED, says="none of the formats"),
        "labels": Probe(join(json_article(marks=both)), READ, (("1", 2),)),
        "relations": Probe(join(json_article(marks=both, relations=JSON_RELATION)), READ, (("1", 2),), relations=1),
    }


# -- PubTator, CoNLL, brat ----------------------------------------------------------------------


def pubtator(id: str = "1", *rows: str) -> str:
    lines = [f"{id}|t|{TEXT}", f"{id}|a|", *(rows or (f"{id}\t5\t9\tzinc\tChemical\tD1",))]
    return "".join(f"{line}\n" for line in lines) + "\n"


PUBTATOR = {
    "ids": Probe("|t|Zinc\n|a|\n", REFUSED, says="none of the formats"),
    "offsets": Probe(pubtator("1", "1\t6\t10\tzinc\tChemical\tD1"), REPORTED, ONE, 'offsets="bytes"'),
    "unknown parts": Probe(
        pubtator("1", "1\t\t\tzinc\tChemical"), REFUSED, says="line 3 of document '1', '1\\t\\t\\tz"
    ),
    "joined files": Probe("\ufeff" + pubtator() + "\ufeff" + pubtator("2"), READ, TWO),
    "server errors": Probe("[Error] : No result can be found. <BR>", REFUSED, says="article: [Error] : No result"),
    "CR line ends": Probe((pubtator() + pubtator("2")).replace("\n", "\r"), READ, TWO),
    "comments": Probe("# comment\n" + pubtator(), REPORTED, ONE, "1 line of comments"),
    "labels": Probe(pubtator("1", "1\t5\t9\tzinc\tChemical\tD1", "1\t5\t9\tzinc\tElement\tD1"), READ, (("1", 2),)),
    "relations": Probe(pubtator("1", "1\t5\t9\tzinc\tChemical\tD1", "1\tCID\tD1\tD2"), READ, ONE, relations=1),
}
CONLL = {
    "ids": Probe("zinc\tB-Chemical\n\nzinc\tB-Chemical\n", READ, NUMBERED),
    "offsets": Probe("βeta\t0\t5\tO\nzinc\t6\t10\tB-Chemical\n", REPORTED, (("x", 1),), "line 1: the offsets in its"),
    "unknown parts": Probe("zinc\tB-Chemical\nfell\nby\tO\na\tO\nlot\tO\n", REFUSED, says="line 2 is 'fell': a token"),
    "joined files": Probe("\ufeffzinc\tB-Chemical\n\n\ufeffzinc\tB-Chemical\n", READ, NUMBERED),
    "server errors": Probe("429 Too Many Requests", REFUSED, says="article: 429 Too Many Requests"),
    "CR line ends": Probe("zinc\tB-Chemical\r\rzinc\tB-Chemical\r", READ, NUMBERED),
    "comments": Probe("# comment\nzinc\tB-Chemical\n#\tO\n", REPORTED, (("x", 1),), "1 line of comments"),
    "labels": Probe("zinc\tB-Chemical|B-Element\nfell\tO\n", READ, (("x", 2),)),
    "relations": NONE,
}
ZINC = "T1\tChemical 5 9\tzinc\n"
BRAT = {
    "ids": Probe(TEXT, READ, (("x", 1),), beside=(".ann", ZINC)),
    "offsets": Probe(TEXT, REPORTED, (("x", 1),), 'offsets="bytes"', beside=(".ann", "T1\tChemical 6 10\tzinc\n")),
    "unknown parts": Probe(
        TEXT, REPORTED, (("x", 1),), "1 annotation line with", beside=(".ann", ZINC + "E1\tGain:T1\n")
    ),
    "joined files": Probe(TEXT, REFUSED, says="two lines have the id T1", beside=(".ann", ZINC + ZINC)),
    "server errors": Probe(TEXT, REPORTED, (("x", 0),), "1 annotation line with", beside=(".ann", WEB_PAGE + "\n")),
    "CR line ends": Probe(f"{TEXT}\r{TEXT}", READ, (("x", 1),), beside=(".ann", ZINC.replace("\n", "\r"))),
    "comments": Probe(
        TEXT, REPORTED, (("x", 1),), "1 annotation line with", beside=(".ann", ZINC + "#1\tNote T1\tx\n")
    ),
    "labels": Probe(TEXT, READ, (("x", 2),), beside=(".ann", ZINC + ZINC.replace("T1\tChemical", "T2\tElement"))),
    "relations": Probe(
        TEXT, READ, (("x", 2),), relations=1, beside=(".ann", ZINC + ZINC.replace("T1", "T2") + "R1\tr a:T1 b:T2\n")
    ),
}


# -- texts --------------------------------------------------------------------------------------


def jats(id: str | None = "1", inside: str = "") -> str:
    name = "" if id is None else f'<article-id pub-id-type="pmc">{id}</article-id>'
    front = f"<front><article-meta>{name}</article-meta></front>"
    return f'<?xml version="1.0"?>\n<article>{front}<body><p>{TEXT}{inside}</p></body></article>\n'


def jats_set(*articles: str) -> str:
    inside = "".join(one.partition("\n")[2] for one in articles)
    return f"<pmc-articleset>{inside}</pmc-articleset>"


JATS = {
    "ids": Probe(jats_set(jats(None), jats(None)), READ, (("x-1", 0), ("x-2", 0))),
    "offsets": NONE,
    "unknown parts": Probe(jats(inside="<strange>x</strange>"), READ, (("1", 0),)),
    "joined files": Probe(jats() + jats("2"), READ, (("1", 0), ("2", 0))),
    "server errors": Probe('<pmc-articleset><Reply error="gone"/></pmc-articleset>', REFUSED, says="article: gone"),
    "CR line ends": Probe(jats().replace("\n", "\r"), READ, (("1", 0),)),
    "comments": Probe(jats(inside="<!-- c -->"), READ, (("1", 0),)),
    "labels": NONE,
    "relations": NONE,
}


def pubmed(id: str | None = "1", inside: str = "") -> str:
    name = "" if id is None else f"<PMID>{id}</PMID>"
    title = f"<Article><ArticleTitle>{TEXT}</ArticleTitle></Article>"
    citation = f"<MedlineCitation>{name}{title}{inside}</MedlineCitation>"
    return f'<?xml version="1.0"?>\n<PubmedArticleSet><PubmedArticle>{citation}</PubmedArticle></PubmedArticleSet>\n'


PUBMED = {
    "ids": Probe(pubmed(None), REFUSED, says="a citation has no PMID"),
    "offsets": NONE,
    "unknown parts": Probe(pubmed(inside="<Strange>x</Strange>"), READ, (("1", 0),)),
    "joined files": Probe(pubmed() + pubmed("2"), READ, (("1", 0), ("2", 0))),
    "server errors": Probe("<eFetchResult><ERROR>empty</ERROR></eFetchResult>", REFUSED, says="article: empty"),
    "CR line ends": Probe(pubmed().replace("\n", "\r"), READ, (("1", 0),)),
    "comments": Probe(pubmed(inside="<!-- c -->"), READ, (("1", 0),)),
    "labels": NONE,
    "relations": NONE,
}
PLAIN = {
    "ids": Probe("Zinc.", READ, (("x", 0),)),
    "offsets": NONE,
    "unknown parts": Probe("1\tZinc\tD1\n2\tLead\tD2\n", REFUSED, says="it is a table of 3 columns, not a text"),
    "joined files": Probe("\ufeffZinc.\nLead.\n", READ, (("x", 0),)),
    "server errors": Probe(WEB_PAGE, REFUSED, says="it is a web page with the title '502'"),
    "CR line ends": Probe("Zinc.\r\rLead.\r", READ, (("x", 0),)),
    "comments": Probe("# Zinc\n", READ, (("x", 0),)),
    "labels": NONE,
    "relations": NONE,
}
LINES = {
    "ids": Probe("Zinc.\nLead.\n", READ, (("x-1", 0), ("x-2", 0))),
    "offsets": NONE,
    "unknown parts": Probe("1\tZinc\tD1\n", READ, (("x-1", 0),)),
    "joined files": Probe("Zinc.\nLead.\n", READ, (("x-1", 0), ("x-2", 0))),
    "server errors": Probe("[Error] : No result can be found.\n", REFUSED, says="[Error] : No result"),
    "CR line ends": Probe("Zinc.\rLead.\r", READ, (("x-1", 0), ("x-2", 0))),
    "comments": Probe("# Zinc\n", READ, (("x-1", 0),)),
    "labels": NONE,
    "relations": NONE,
}


RECORDS = {
    "ids": Probe('{"text": "Zinc."}\n{"text": "Lead."}\n', READ, (("x-1", 0), ("x-2", 0))),
    "offsets": NONE,
    "unknown parts": Probe('{"text": "Zinc.", "more": 1}\n', READ, (("x", 0),)),
    "joined files": Probe(
        '{"id": "1", "text": "Zinc."}\n\ufeff{"id": "2", "text": "Lead."}\n', READ, (("1", 0), ("2", 0))
    ),
    "server errors": Probe('{"error": "too many requests"}\n', REFUSED, says="too many requests"),
    "CR line ends": Probe('{"text": "Zinc."}\r{"text": "Lead."}\r', READ, (("x-1", 0), ("x-2", 0))),
    "comments": NONE,
    "labels": NONE,
    "relations": NONE,
}
TEXT_TABLE = {
    "ids": Probe("text\nZinc.\nLead.\n", READ, (("x-1", 0), ("x-2", 0))),
    "offsets": NONE,
    "unknown parts": Probe("text,more\nZinc.,1\n", READ, (("x", 0),)),
    "joined files": NONE,
    "server errors": Probe("[Error] : No result can be found.\n", REFUSED, says="[Error] : No result"),
    "CR line ends": Probe("id,text\r1,Zinc.\r2,Lead.\r", READ, (("1", 0), ("2", 0))),
    "comments": NONE,
    "labels": NONE,
    "relations": NONE,
}


# -- editors ------------------------------------------------------------------------------------

REGION = {"start": 5, "end": 9, "text": "zinc", "labels": ["Chemical"]}


def result(id: str = "r", **value: Any) -> dict[str, Any]:
    return {"id": id, "from_name": "label", "type": "labels", "value": {**REGION, **value}}


def label_studio(*results: Any, id: str | None = "1", **others: Any) -> str:
    data = {"text": TEXT, **({} if id is None else {"document": id, "offset": 0})}
    task = {"data": data, "annotations": [{"completed_by": 1, "result": list(results) or [result()]}], **others}
    return json.dumps(task, ensure_ascii=False)


def listed(*tasks: str) -> str:
    return "[" + ",\n".join(tasks) + "]\n"


LINK = {"type": "relation", "from_id": "r", "to_id": "s", "direction": "right", "labels": ["r"]}
LABEL_STUDIO = {
    "ids": Probe(listed(label_studio(id=None), label_studio(id=None)), READ, NUMBERED),
    "offsets": Probe(listed(label_studio(result(start=0, end=4))), REFUSED, says="the region 'zinc' is at 0-4, where"),
    "unknown parts": Probe(listed(label_studio(result(), {"type": "choices"})), REPORTED, ONE, "choices (1)"),
    "joined files": Probe(listed(label_studio()) + listed(label_studio(id="2")), READ, TWO),
    "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
    "CR line ends": Probe(listed(label_studio(), label_studio(id="2")).replace("\n", "\r"), READ, TWO),
    "comments": Probe("# comment\n" + listed(label_studio()), REFUSED, says="none of the formats"),
    "labels": Probe(listed(label_studio(result(labels=["Chemical", "Element"]))), READ, (("1", 2),)),
    "relations": Probe(listed(label_studio(result(), result("s"), LINK)), READ, (("1", 2),), relations=1),
}


def pubannotation(*denotations: Any, id: str | None = "1", **others: Any) -> str:
    given = denotations or ({"id": "T1", "span": {"begin": 5, "end": 9}, "obj": "Chemical"},)
    value = {"text": TEXT, "denotations": list(given), **({"sourceid": id} if id else {}), **others}
    return json.dumps(value, ensure_ascii=False, indent=1)


def denotation(id: str = "T2", start: int = 5, end: int = 9, obj: str = "Element") -> dict[str, Any]:
    return {"id": id, "span": {"begin": start, "end": end}, "obj": obj}


JOINT = {"id": "R1", "subj": "T1", "pred": "is", "obj": "T2"}
PUBANNOTATION = {
    "ids": Probe(f"[{pubannotation(id=None)},\n{pubannotation(id=None)}]", READ, NUMBERED),
    "offsets": Probe(pubannotation(denotation(start=90, end=94)), REPORTED, (("1", 0),), "is not inside one passage"),
    "unknown parts": Probe(pubannotation(blocks=[{"id": "B1"}]), REPORTED, ONE, "not read: blocks"),
    "joined files": Probe(pubannotation() + "\n" + pubannotation(id="2"), READ, TWO),
    "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
    "CR line ends": Probe(pubannotation().replace("\n", "\r"), READ, ONE),
    "comments": Probe("# comment\n" + pubannotation(), REFUSED, says="none of the formats"),
    "labels": Probe(pubannotation(denotation("T1", obj="Chemical"), denotation()), READ, (("1", 2),)),
    "relations": Probe(
        pubannotation(denotation("T1", obj="Chemical"), denotation(), relations=[JOINT]), READ, (("1", 2),), relations=1
    ),
}


def doccano(*entities: Any, id: str | None = "1", **others: Any) -> str:
    place = {} if id is None else {"document": id, "offset": 0}
    regions = entities or ({"id": 1, "start_offset": 5, "end_offset": 9, "label": "Chemical"},)
    return json.dumps({"text": TEXT, **place, "entities": regions, **others}, ensure_ascii=False)


BOTH = [{"id": at, "start_offset": 5, "end_offset": 9, "label": type} for at, type in ((1, "Chemical"), (2, "Element"))]
FROM_TO = {"id": 1, "from_id": 1, "to_id": 2, "type": "r"}
OUTSIDE = {"id": 1, "start_offset": 6, "end_offset": 10, "label": "Chemical"}
DOCCANO = {
    "ids": Probe(lined(doccano(id=None), doccano(id=None)), READ, NUMBERED),
    "offsets": Probe(lined(doccano(OUTSIDE)), REFUSED, says="the region 6-10 is outside the text of 9 characters"),
    "unknown parts": Probe(lined(doccano(Comments=["x"])), REPORTED, ONE, "comments (1)"),
    "joined files": Probe(lined(doccano()) + lined(doccano(id="2")), READ, TWO),
    "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
    "CR line ends": Probe(lined(doccano(), doccano(id="2")).replace("\n", "\r"), READ, TWO),
    "comments": Probe("# comment\n" + lined(doccano()), REFUSED, says="none of the formats"),
    "labels": Probe(lined(doccano(*BOTH)), READ, (("1", 2),)),
    "relations": Probe(lined(doccano(*BOTH, relations=[FROM_TO])), READ, (("1", 2),), relations=1),
}


def prodigy(*spans: Any, id: str | None = "1", **others: Any) -> str:
    place = {} if id is None else {"document": id, "offset": 0}
    regions = spans or ({"start": 5, "end": 9, "label": "Chemical"},)
    return json.dumps({"text": TEXT, **place, "spans": regions, "answer": "accept", **others}, ensure_ascii=False)


SPANS = [{"start": 5, "end": 9, "label": type} for type in ("Chemical", "Element")]
HEADS = {"head_span": SPANS[0], "child_span": SPANS[1], "label": "r"}
PRODIGY = {
    "ids": Probe(lined(prodigy(id=None), prodigy(id=None)), READ, NUMBERED),
    "offsets": Probe(lined(prodigy({"start": 6, "end": 10, "label": "C"})), REFUSED, says="the region 6-10 is outside"),
    "unknown parts": Probe(lined(prodigy(_view_id="x")), READ, ONE),
    "joined files": Probe(lined(prodigy()) + lined(prodigy(id="2")), READ, TWO),
    "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
    "CR line ends": Probe(lined(prodigy(), prodigy(id="2")).replace("\n", "\r"), READ, TWO),
    "comments": Probe("# comment\n" + lined(prodigy()), REFUSED, says="none of the formats"),
    "labels": Probe(lined(prodigy(*SPANS)), READ, (("1", 2),)),
    "relations": Probe(lined(prodigy(*SPANS, relations=[HEADS])), READ, (("1", 2),), relations=1),
}


def cas(*mentions: tuple[int, int, str], passage: bool = True, **others: Any) -> str:
    features = {"label": {"%NAME": "label", "%RANGE": "uima.cas.String"}}
    places = {
        "document": {"%NAME": "document", "%RANGE": "uima.cas.String"},
        "offset": {"%NAME": "offset", "%RANGE": "uima.cas.Integer"},
        "section": {"%NAME": "section", "%RANGE": "uima.cas.String"},
    }
    names = {"webanno.custom.Mention": features, "webanno.custom.Passage": places}
    types = {
        name: {"%NAME": name, "%SUPER_TYPE": "uima.tcas.Annotation", **own, **_STATED.get(name, {})}
        for name, own in names.items()
    }
    sofa = {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": TEXT}
    whole = {"%TYPE": "webanno.custom.Passage", "begin": 0, "end": len(TEXT), "document": "1", "offset": 0}
    found = [whole] if passage else []
    for start, end, label in mentions or ((5, 9, "Chemical"),):
        found.append({"%TYPE": "webanno.custom.Mention", "begin": start, "end": end, "label": label})
    numbered = [{"%ID": number, "@sofa": 1, **one} for number, one in enumerate(found, 2)]
    view = {"%SOFA": 1, "%MEMBERS": [one["%ID"] for one in numbered]}
    value = {"%TYPES": types, "%FEATURE_STRUCTURES": [sofa, *numbered], "%VIEWS": {"_InitialView": view}}
    return json.dumps({**value, **others}, ensure_ascii=False, indent=1)


_STATED = {
    "webanno.custom.Mention": {
        "identifier": {"%NAME": "identifier", "%RANGE": "uima.cas.String"},
        "score": {"%NAME": "score", "%RANGE": "uima.cas.Float"},
    }
}
INCEPTION = {
    "ids": Probe(cas(passage=False), REFUSED, says="is not inside one passage"),
    "offsets": Probe(cas((6, 10, "Chemical")), REFUSED, says="is not inside one passage"),
    "unknown parts": Probe(cas(**{"%NOTE": "x"}), READ, ONE),
    "joined files": Probe(cas() + cas(), REFUSED, says="the CAS cannot be read"),
    "server errors": Probe(JSON_ERROR, REFUSED, says="in place of an article: API rate limit exceeded"),
    "CR line ends": Probe(cas().replace("\n", "\r"), READ, ONE),
    "comments": Probe("# comment\n" + cas(), REFUSED, says="none of the formats"),
    "labels": Probe(cas((5, 9, "Chemical"), (5, 9, "Element")), READ, (("1", 2),)),
    "relations": NONE,
}

PROBES: dict[str, dict[str, Any]] = {
    "biocxml": BIOC_XML,
    "biocjson": json_probes(collection),
    "jsonl": json_probes(lined),
    "pubtator": PUBTATOR,
    "jats": JATS,
    "pubmed": PUBMED,
    "brat": BRAT,
    "conll": CONLL,
    "label-studio": LABEL_STUDIO,
    "pubannotation": PUBANNOTATION,
    "doccano": DOCCANO,
    "prodigy": PRODIGY,
    "inception": INCEPTION,
    "records": RECORDS,
    "text-table": TEXT_TABLE,
    "text": PLAIN,
    "lines": LINES,
}


def read_formats() -> list[str]:
    """The names of the formats that are read, in the order of the registry."""
    return [format.name for format in registry.formats() if format.reader is not None]


def table() -> Iterator[str]:
    """The lines of the table in Markdown. Raises `KeyError` for a format or property without a probe."""
    yield f"| format | {' | '.join(PROPERTIES)} |"
    yield "|---" * (len(PROPERTIES) + 1) + "|"
    for format in read_formats():
        cells = (PROBES[format][name] for name in PROPERTIES)
        yield f"| `{format}` | {' | '.join(one if isinstance(one, str) else one.outcome for one in cells)} |"


if __name__ == "__main__":
    print("\n".join(table()))
