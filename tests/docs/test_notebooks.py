"""The notebooks of the documentation show what their cells print.

After a change that alters an output, execute them again:
`python tests/support/executed_notebooks.py docs/notebooks/*.ipynb`
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from executed_notebooks import NOTEBOOKS, ROOT, executed, texts

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_the_documentation_has_three_notebooks() -> None:
    assert [path.stem for path in PATHS] == ["evaluation", "folder", "silver"]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_cells_print_what_the_notebook_shows(path: Path, tmp_path: Path) -> None:
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is not installed: it belongs to the extra docs")
    import nbformat

    stored = nbformat.read(path, 4)
    nbformat.validate(stored)
    assert texts(executed(path, tmp_path / "notebooks")) == texts(stored)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_code_cell_was_executed_and_shows_no_path_of_a_machine(path: Path) -> None:
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = json.dumps([cell["outputs"] for cell in cells])
    assert not re.search(r"/(home|tmp|work|Users|root)/|Warning|Traceback|stderr", outputs)
    assert str(ROOT) not in outputs
