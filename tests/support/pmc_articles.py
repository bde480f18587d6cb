"""Articles in the layout of PMC's bucket: a folder for each version, with forms, pictures and metadata."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

BUCKET = "s3://pmc-oa-opendata"


def jats(id: int, subject: str) -> bytes:
    """A short article."""
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmcid">PMC{id}</article-id><title-group>'
        f"<article-title>{subject} in rats</article-title></title-group></article-meta></front>"
        f"<body><sec><title>Methods</title><p>The dose of {subject} was high.</p></sec></body></article>"
    ).encode()


def metadata(id: int, version: int, xml: bytes, **facts: object) -> bytes:
    """The metadata of an article, with the address and md5 of its XML."""
    name = f"PMC{id}.{version}"
    values: dict[str, Any] = {
        "pmcid": f"PMC{id}",
        "version": version,
        "pmid": id + 100,
        "doi": f"10.1/{id}",
        "is_pmc_openaccess": True,
        "is_manuscript": False,
        "is_historical_ocr": False,
        "is_retracted": False,
        "license_code": "CC BY",
        "xml_url": f"{BUCKET}/{name}/{name}.xml?md5={hashlib.md5(xml).hexdigest()}",
        **facts,
    }
    return json.dumps(values).encode()


def add(root: Path, id: int, version: int, subject: str, **facts: object) -> Path:
    """Write the folder of one version of an article. Returns it."""
    name = f"PMC{id}.{version}"
    folder = root / name
    folder.mkdir(parents=True)
    xml = jats(id, subject)
    (folder / f"{name}.xml").write_bytes(xml)
    (folder / f"{name}.txt").write_text(f"{subject} in rats\n")
    (folder / f"{name}.pdf").write_bytes(b"%PDF-1.5 \0")
    (folder / "rat_Fig1_HTML.jpg").write_bytes(b"\xff\xd8\xff\0")
    (folder / f"{name}.json").write_bytes(metadata(id, version, xml, **facts))
    return folder


def add_all(root: Path) -> Path:
    """Three articles: one with two versions, one retracted, one a manuscript. Returns `root`."""
    add(root, 9172893, 1, "aspirin")
    add(root, 9172893, 2, "ibuprofen")
    add(root, 9172894, 1, "caffeine", is_retracted=True, license_code="CC0")
    add(root, 9172895, 1, "metformin", is_manuscript=True, license_code="CC BY-NC")
    return root
