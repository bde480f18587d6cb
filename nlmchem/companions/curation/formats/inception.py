"""INCEpTION: an article as UIMA CAS in JSON ("UIMA CAS JSON 0.4.0"), with the layers `Passage` and `Mention`.

The text of a CAS is that of all passages, with a line end between two of them. A CAS counts UTF-16 code units; the
package dkpro-cassis (extra `[inception]`) converts them. Annotations of other layers, as sentences and tokens, are not
read.

A project that INCEpTION exports has `source/ARTICLE` (what was imported), `annotation/ARTICLE/INITIAL_CAS.json` (the
same as INCEpTION stores it), `annotation/ARTICLE/NAME.json` for each person who opened the article,
`curation/ARTICLE/CURATION_USER.json` (what was merged from these), and `exportedproject.json` with the state of each
article for each person.

Sources: https://github.com/apache/uima-uimaj-io-jsoncas (the specification);
https://inception-project.github.io/releases/33.0/docs/user-guide.html#sect_projects_export.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bioc import BioCDocument

from corpora.errors import DAMAGE, ArticleError, shortened
from corpora.extras import require
from corpora.formats.format import Folder, Header, Reader, file_name
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.parsing import json_documents
from corpora.reporting import Report
from corpora.storage.members import Member
from nlmchem.companions.curation import curator, set_curator
from nlmchem.companions.curation.formats.tasks import (
    SMALLER,
    EditorTask,
    Region,
    document_of,
    score_of,
    tasks_of,
)

if TYPE_CHECKING:
    from cassis import Cas, TypeSystem

TITLE = "INCEpTION"
STORED = frozenset({"type", "identifier", "score"})
SUFFIX = ".json"
PASSAGE, MENTION = "webanno.custom.Passage", "webanno.custom.Mention"
_TEXT, _NUMBER, _SHARE = "uima.cas.String", "uima.cas.Integer", "uima.cas.Float"
_FEATURES = {
    PASSAGE: {"document": _TEXT, "offset": _NUMBER, "section": _TEXT, "why": _TEXT},
    MENTION: {"label": _TEXT, "identifier": _TEXT, "score": _SHARE, "candidates": _TEXT},
}
"""The features of each layer."""


def _require() -> None:
    require("cassis", extra="inception", purpose=f"the format {TITLE}")


def _layers() -> TypeSystem:
    _require()
    from cassis import TypeSystem

    layers = TypeSystem()
    for name, features in _FEATURES.items():
        layer = layers.create_type(name, supertypeName="uima.tcas.Annotation")
        for feature, range in features.items():
            layers.create_feature(layer, feature, range)
    return layers


def beside(types: Sequence[str]) -> dict[str, bytes]:
    """The definition of the layers."""
    return {"layers.xml": _layers().to_xml().encode() + b"\n"}


# -- writing ------------------------------------------------------------------------------------


def dumps(document: BioCDocument, report: Report) -> bytes:
    """The CAS of an article. Raises `ArticleError`. Reports what it lacks."""
    tasks = tasks_of(document, STORED, TITLE, report)
    layers = _layers()
    from cassis import Cas

    passage_type, mention_type = layers.get_type(PASSAGE), layers.get_type(MENTION)
    cas = Cas(layers)
    cas.sofa_string = "\n".join(task.text for task in tasks)
    cas.sofa_mime = "text/plain"
    start = 0
    for task in tasks:
        facts = {"document": task.document, "offset": task.offset, "section": task.section, "why": task.why}
        cas.add(passage_type(begin=start, end=start + len(task.text), **facts))
        for region in task.regions:
            stated = None if region.identifiers is None else ",".join(region.identifiers) or NO_CONCEPT
            mention = mention_type(begin=start + region.start, end=start + region.end, label=region.type)
            mention.identifier, mention.score, mention.candidates = stated, region.score, region.candidates or None
            cas.add(mention)
        start += len(task.text) + 1
    content: str = cas.to_json()
    return content.encode() + b"\n"


def files(article: bytes) -> tuple[str, dict[str, bytes]]:
    """The name and the file of an article, from what `dumps` returned."""
    structures = json.loads(article)["%FEATURE_STRUCTURES"]
    return file_name(next(item["document"] for item in structures if item["%TYPE"] == PASSAGE)), {SUFFIX: article}


# -- reading ------------------------------------------------------------------------------------


def sniff(head: bytes) -> bool:
    """Whether a file is a CAS in JSON with our layers. Types are written first."""
    return head.lstrip().startswith(b"{") and b'"%TYPES"' in head and PASSAGE.encode() in head


def split(stream: BinaryIO, header: Header, report: Report) -> Iterator[bytes]:
    """The one article of a file. Raises `InputError` for a large file, and `ConfigurationError` without the package."""
    _require()
    yield json_documents.loaded(stream, SMALLER)


def parse(raw: bytes, report: Report) -> BioCDocument:
    """One article. Raises `ArticleError`."""
    from cassis import load_cas_from_json

    try:
        tasks = list(_tasks(load_cas_from_json(io.BytesIO(raw))))
    except DAMAGE as error:
        why = shortened(" ".join(str(error).split()), 80)
        raise ArticleError(f"the CAS cannot be read ({type(error).__name__}: {why}); export it again") from error
    if not tasks:
        raise ArticleError("the CAS has no annotation of the layer Passage; export the article again")
    return document_of(tasks)


def _tasks(cas: Cas) -> Iterator[EditorTask]:
    """The passages. Raises `ArticleError` for a mention outside of all passages or across two."""
    text: str = cas.sofa_string
    mentions = list(cas.select(MENTION))
    for passage in cas.select(PASSAGE):
        regions: list[Region] = []
        outside: list[Any] = []
        for mention in mentions:
            if not (passage.begin <= mention.begin and mention.end <= passage.end):
                outside.append(mention)
                continue
            identifiers = None
            if mention.identifier is not None:
                parts = (part.strip() for part in mention.identifier.split(","))
                identifiers = tuple(part for part in parts if part not in ("", NO_CONCEPT))
            start, end = mention.begin - passage.begin, mention.end - passage.begin
            regions.append(Region(start, end, str(mention.label), identifiers, score_of(mention.score)))
        mentions = outside
        section, covered = passage.section or "", text[passage.begin : passage.end]
        yield EditorTask(str(passage.document), int(passage.offset), covered, section, tuple(regions))
    if mentions:
        where = f"{mentions[0].get_covered_text()!r} at {mentions[0].begin}"
        raise ArticleError(f"the mention {where} is not inside one passage; part it, or remove it")


READER = Reader(split, parse, sniff)
WRITER = Folder(dumps, files, (SUFFIX,))


# -- projects -----------------------------------------------------------------------------------

_PROJECT = "exportedproject.json"
_IMPORTED, _MERGED = frozenset({"INITIAL_CAS", "CORRECTION_USER"}), "CURATION_USER"
"""What nobody has opened (WebAnno, its predecessor, has a copy for corrections), and what was merged of people."""
_UNFINISHED_STATES = frozenset({"NEW", "INPROGRESS", "IN_PROGRESS", "IGNORE", "LOCKED"})
_MAX_BYTES = 1 << 24
"""Bytes of the description of a project."""

ArticleStates = dict[tuple[str, str], str]
"""The state of an article (its name in the project) for a person."""


def is_description(member: Member) -> bool:
    """Whether it is the description of a project, which is no article."""
    return _path(member).name == _PROJECT


def states_of(path: str) -> ArticleStates:
    """The states in a project, as zip archive or unpacked around a file; empty where they are not stated."""
    states: ArticleStates = {}
    try:
        if zipfile.is_zipfile(path):
            # An archive can have several projects, each in a folder of its own.
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if Path(name).name == _PROJECT:
                        with archive.open(name) as stream:
                            states |= _states(json.loads(stream.read(_MAX_BYTES)))
        if not states:
            folders = list(Path(path).resolve().parents)[1:3]
            project = next((file for folder in folders if (file := folder / _PROJECT).is_file()), None)
            states = {} if project is None else _states(json.loads(project.read_bytes()[:_MAX_BYTES]))
    except (OSError, zipfile.BadZipFile, *DAMAGE):
        return {}
    return states


def _states(value: Any) -> ArticleStates:
    return {
        (str(document["name"]), str(document["user"])): str(document["state"]).upper()
        for document in value.get("annotation_documents") or []
    }


def set_state(document: BioCDocument, member: Member, states: ArticleStates, report: Report) -> None:
    """State whose annotations an article of a project has, and whether they are finished."""
    if curator(document) is not None:
        return
    path = _path(member)
    name, folder = path.name.partition(".")[0], path.parent.name
    if name in _IMPORTED or folder == "source":
        # What was imported into INCEpTION: nobody has opened it.
        set_curator(document, None, is_open=True)
    elif name == _MERGED and len(path.parts) > 2 and path.parts[-3] == "curation":
        set_curator(document, None, is_open=True)
        report(
            f"{member}: left out, because it is merged from the annotators of the project; "
            "to import it in their place, unpack the project and give this file alone"
        )
    elif (state := states.get((folder, name))) is not None:
        set_curator(document, name, is_open=state in _UNFINISHED_STATES)
    elif len(path.parts) > 2 and path.parts[-3] == "annotation":
        set_curator(document, name)


def _path(member: Member) -> Path:
    """The place of a file in its project. An archive can stand in the place of a file as well."""
    if member.name is None:
        return Path(member.file.path)
    inside = Path(member.name)
    return inside if len(inside.parts) > 1 else Path(member.file.path).parent / inside
