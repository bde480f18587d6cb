"""What each format that is read does with input that goes wrong elsewhere: one small input for each cell of a table.

    python tests/support/format_probes.py        # prints the table of docs/reference/formats.md

The rows are the formats of the registry, so that a new format must fill its row. An outcome is `read`, `reported`
(read, with a sentence) or `refused` (with what, where and what to do); `-` is a cell without meaning in the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from editor_probes import DOCCANO, INCEPTION, LABEL_STUDIO, PRODIGY, PUBANNOTATION
from probe import JSON_ERROR, NONE, NUMBERED, ONE, PROPERTIES, READ, REFUSED, REPORTED, TEXT, TWO, Probe, lined

from corpora.formats import registry

# -- BioC ---------------------------------------------------------------------------------------

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


JSON_RELATION = [{"id": "R1", "infons": {}, "nodes": [{"refid": "m", "role": "a"}, {"refid": "n", "role": "b"}]}]


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
