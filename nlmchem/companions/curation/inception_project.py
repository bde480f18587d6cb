"""Projects that INCEpTION exports: which of their files are annotations of people, and which of these are finished.

A project has `source/ARTICLE` (what was imported), `annotation/ARTICLE/INITIAL_CAS.json` (the same as INCEpTION stores
it), `annotation/ARTICLE/NAME.json` for each person who opened the article, `curation/ARTICLE/CURATION_USER.json` (what
was merged from these), and `exportedproject.json` with the state of each article for each person.

Source: https://inception-project.github.io/releases/33.0/docs/user-guide.html#sect_projects_export.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import DAMAGE
from corpora.reporting import Report
from corpora.storage.members import Member
from nlmchem.companions.curation.infons import curator, set_curator

FORMAT = "inception"
_PROJECT = "exportedproject.json"
_IMPORTED, _MERGED = frozenset({"INITIAL_CAS", "CORRECTION_USER"}), "CURATION_USER"
"""What nobody has opened (WebAnno, its predecessor, has a copy for corrections), and what was merged of people."""
_NOT_FINISHED = frozenset({"NEW", "INPROGRESS", "IN_PROGRESS", "IGNORE", "LOCKED"})
_MOST = 1 << 24
"""Bytes of the description of a project."""

States = dict[tuple[str, str], str]
"""The state of an article (its name in the project) for a person."""


def is_description(member: Member) -> bool:
    """Whether it is the description of a project, which is no article."""
    return _path(member).name == _PROJECT


def states_of(path: str) -> States:
    """The states in a project, as zip archive or unpacked around a file; empty where they are not stated."""
    try:
        states = _states_in_archive(path) if zipfile.is_zipfile(path) else {}
        if states:
            return states
        folders = list(Path(path).resolve().parents)[1:3]
        project = next((file for folder in folders if (file := folder / _PROJECT).is_file()), None)
        return {} if project is None else _states(json.loads(project.read_bytes()[:_MOST]))
    except (OSError, zipfile.BadZipFile, *DAMAGE):
        return {}


def _states_in_archive(path: str) -> States:
    """The states of all projects in an archive, which may have a folder around each."""
    states: States = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if Path(name).name == _PROJECT:
                with archive.open(name) as stream:
                    states |= _states(json.loads(stream.read(_MOST)))
    return states


def _states(value: Any) -> States:
    return {
        (str(document["name"]), str(document["user"])): str(document["state"]).upper()
        for document in value.get("annotation_documents") or []
    }


def mark(document: BioCDocument, member: Member, states: States, report: Report) -> None:
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
        set_curator(document, name, is_open=state in _NOT_FINISHED)
    elif len(path.parts) > 2 and path.parts[-3] == "annotation":
        set_curator(document, name)


def _path(member: Member) -> Path:
    """The place of a file in its project. An archive can stand in the place of a file as well."""
    if member.name is None:
        return Path(member.file.path)
    inside = Path(member.name)
    return inside if len(inside.parts) > 1 else Path(member.file.path).parent / inside
