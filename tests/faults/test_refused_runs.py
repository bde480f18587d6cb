"""A run that is refused before any work leaves no file and no folder, wherever the reason is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REFUSED = {
    "a file of the user at the place of an output": ("annotate", "in", "-o", "mine"),
    "a manifest of the user": ("annotate", "in", "-o", "manifests", "--shard", "1/2"),
    "no input with a known format": ("annotate", "photos", "-o", "new/folder"),
    "no input at all": ("annotate", "in", "-o", "new/folder", "--include", "*.nothing"),
    "two inputs with one output": ("annotate", "in/a.xml", "in/b/a.xml", "-o", "new"),
    "one output, and no input with a known format": ("convert", "photos", "new/all.json"),
    "a later run of several": ("annotate", "in", "-o", "runs", "--runs", "--tagger", "default,lexicon"),
    "numbered parts": ("annotate", "in", "-o", "parts", "--per-file", "2", "--format", "jsonl"),
    "a lexicon that is missing": ("annotate", "in", "-o", "new", "--lexicon", "none.sqlite"),
    "no Dask scheduler": ("annotate", "in", "-o", "new", "--dask", "tcp://127.0.0.1:1"),
}


def tree(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("reason", REFUSED)
def test_a_refused_run_leaves_nothing(
    reason: str, tmp_path: Path, articles: Any, nlmchem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "Dask" in reason:
        pytest.importorskip("distributed")
    mine = (
        "mine/a.xml",
        "manifests/manifest-1-of-2.json",
        "runs/lexicon/a.xml",
        "parts/part-00001.jsonl",
        "photos/1.png",
    )
    for name in (*mine, "in/a.xml", "in/b/a.xml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(articles.one(1) if name.startswith("in/") else b"\x89PNG of the user")
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path)
    assert nlmchem(*REFUSED[reason]).returncode == 2
    assert tree(tmp_path) == before


def test_a_refused_run_leaves_the_state_of_an_earlier_one(tmp_path: Path, good: Path, nlmchem: Any) -> None:
    out = tmp_path / "out"
    assert nlmchem("annotate", good, "-o", out).returncode == 0
    before = tree(out)
    assert nlmchem("annotate", good, "-o", out, "--existing", "keep").returncode == 2
    after = tree(out)
    assert {name for name in after if "ledger" not in name} == {name for name in before if "ledger" not in name}
    assert nlmchem("annotate", good, "-o", out).returncode == 0
