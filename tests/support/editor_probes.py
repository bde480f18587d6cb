"""The inputs of `format_probes` in the formats of editors and of PubAnnotation."""

from __future__ import annotations

import json
from typing import Any

from probe import JSON_ERROR, NONE, NUMBERED, ONE, READ, REFUSED, REPORTED, TEXT, TWO, Probe, lined

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
