"""Executes notebooks of the documentation, and writes their outputs.

    python tests/support/executed_notebooks.py docs/notebooks/*.ipynb

A notebook runs from top to bottom in a temporary copy of `docs/notebooks/`, in which `articles/` is a copy of
`examples/`. Messages on standard error (progress, times) are left out of its outputs. Needs the extra `docs`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "docs" / "notebooks"


def executed(path: Path, folder: Path, commands: Path = Path(sys.executable).parent) -> Any:
    """The notebook with the outputs that its cells have now. Raises `nbclient.CellExecutionError` where a cell fails.

    `folder`: where it runs; a new one. `commands`: the folder of the `nlmchem` that is called.
    """
    import nbclient
    import nbformat

    shutil.copytree(NOTEBOOKS, folder)
    shutil.copytree(ROOT / "examples", folder / "articles")
    notebook = nbformat.read(path, 4)
    environment = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH", str(ROOT)),
        "IPYTHONDIR": str(folder / ".ipython"),
    }
    client = nbclient.NotebookClient(
        notebook, timeout=600, record_timing=False, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment, stderr=subprocess.DEVNULL)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def texts(notebook: Any) -> list[list[str]]:
    """What each code cell shows as text or HTML. Pictures are left out: their bytes depend on the drawing library."""
    return [
        [
            output.text if "text" in output else output.data.get("text/html", output.data.get("text/plain", ""))
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def main() -> None:
    import nbformat

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="+", type=Path)
    for path in parser.parse_args().notebooks:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder) / "notebooks"), path)


if __name__ == "__main__":
    main()
