"""The documentation site (`make docs`): Sphinx, MyST and furo. The pages are the Markdown files and the
notebooks of this folder.

Nothing is loaded from another host: fonts are those of the system, scripts and styles are copied into the site.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PAGES = {
    "Get started": [
        "install",
        "tutorial",
        "python",
        "notebooks/folder",
        "notebooks/evaluation",
        "notebooks/silver",
        "troubleshooting",
        "glossary",
        "cite",
    ],
    "How to": ["howto/annotate-folders", "howto/pmc-folder", "howto/look-at-results", "howto/*"],
    "Reference": ["reference/runs", "reference/formats", "reference/api", "reference/public", "reference/*"],
    "How it works": ["how-it-works"],
    "Accuracy and speed": ["accuracy-and-speed"],
    "Internals": ["measurements/README"],
}
"""The navigation: headings and their pages, in order. `*`: the other pages of the folder."""

WORDS = {
    "install": ["Windows", "macOS", "offline", "pip", "pipx", "uv", "upgrade", "uninstall"],
    "troubleshooting": ["error", "problem", "article failed", "slow", "bug"],
    "cite": ["citation", "reference", "BibTeX", "DOI"],
    "python": ["pandas data frame", "pandas", "spaCy", "API", "Jupyter"],
    "accuracy-and-speed": ["accuracy", "benchmark", "F1", "comparison with other tools"],
    "howto/annotate-folders": ["annotate a folder", "batch", "resume", "stop and continue"],
    "howto/containers": ["Docker", "Podman", "Singularity", "Apptainer"],
    "howto/search": ["articles about a concept", "find articles", "articles about a chemical"],
    "howto/undefined-short-forms": ["undefined abbreviations", "acronyms", "disambiguation"],
    "howto/migrate-identifiers": ["MeSH year", "obsolete identifiers", "retired identifiers"],
    "howto/add-a-tagger": ["own tagger", "tagger plugin"],
    "howto/all-of-pmc": ["download PMC", "PubMed Central", "Open Access subset"],
    "howto/keyphrases": ["keywords"],
    "howto/curation": ["correct annotations", "annotation editor", "Label Studio", "doccano", "Prodigy", "INCEpTION"],
    "howto/language-models": ["LLM", "ChatGPT", "hallucinated identifiers"],
    "howto/silver-corpus": ["silver standard", "load_dataset", "Croissant"],
    "reference/deciding": ["confidence", "probability", "certainty", "target precision"],
    "reference/licences": ["license", "licenses", "copyright", "commercial use"],
    "reference/training": ["train a model", "fine-tuning", "own model"],
    "reference/runs": ["cluster", "Slurm", "Dask", "exit codes", "manifest"],
    "reference/tables": ["columns of the table", "CSV", "TSV", "Excel"],
    "reference/speed": ["memory", "RAM", "workers", "throughput"],
    "reference/evaluation": ["significance", "bootstrap", "precision and recall"],
    "reference/lexicon": ["MeSH identifier of a name", "ChEBI", "PubChem", "CAS number", "synonyms", "dictionary"],
    "reference/comparison": ["gilda", "scispaCy", "PubTator", "Annif"],
}
"""What users type into the search, and the page that answers it: entries of the index, which the search prefers."""

_project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]

project = "nlmchem"
author = copyright = "The nlmchem developers"
release = version = _project["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
exclude_patterns = ["_site"]
nitpicky = False
highlight_language = "bash"  # indented blocks are commands

myst_heading_anchors = 4

# Docstrings have code between single backticks, as Markdown.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# Longer signatures have a line for each parameter.
maximum_signature_line_length = 100
autodoc_default_options = {"members": True, "exclude-members": "definitions"}
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"nlmchem {release}"
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_additional_pages = {"index": "index.html"}
templates_path = ["_site"]
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]


def _notebook(app: Sphinx, page: str, content: list[str]) -> None:
    """A notebook as Markdown: its texts, its code and the outputs that are stored in it."""
    if app.env.doc2path(page).suffix != ".ipynb":
        return
    blocks = []
    for cell in json.loads(content[0])["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            blocks.append(source)
        else:
            blocks.append(_fenced("bash" if source.startswith("%%bash") else "python", source))
            blocks += map(_output, cell["outputs"])
    content[0] = "\n\n".join(blocks)


def _output(output: dict[str, Any]) -> str:
    """What a cell printed, or the richest form of its value: a picture, HTML or text."""
    data = output.get("data", {})
    if "image/png" in data:
        picture = "".join(data["image/png"].split())
        return _fenced("{raw} html", f'<img alt="output of the cell above" src="data:image/png;base64,{picture}">')
    if "text/html" in data:
        return _fenced("{raw} html", "".join(data["text/html"]))
    return _fenced("{code-block} text\n:class: output", "".join(output.get("text") or data["text/plain"]))


def _fenced(kind: str, text: str) -> str:
    return f"````{kind}\n{text.rstrip()}\n````"


_OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#]+)(?:#[^)]*)?\)")


def _files_outside(app: Sphinx, page: str, content: list[str]) -> None:
    """Links to files of the repository that are not pages: the site has a copy of each file."""

    def copied(link: re.Match[str]) -> str:
        label, target = link.groups()
        inside = (Path(app.srcdir, page).parent / target).resolve().is_relative_to(app.srcdir)
        return link[0] if inside else f"{{download}}`{label} <{target}>`"

    content[0] = _OUTSIDE.sub(copied, content[0])


def _no_type(app: Sphinx, what: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """Napoleon reads words before a colon as a type; an empty comment before them prevents it."""
    if what in ("attribute", "property"):
        lines[:0] = ["..", ""]


def _navigation(app: Sphinx, page: str, content: list[str]) -> None:
    """Add the navigation to the front page, and its pages to that of the measurements."""
    groups = {root_doc: PAGES, "measurements/README": {"": ["*"]}}.get(page, {})
    for heading, pages in groups.items():
        caption = [f":caption: {heading}"] if heading else []
        content[0] += "\n".join(["", "", "```{toctree}", ":hidden:", ":glob:", *caption, "", *pages, "```", ""])


def _index_entries(app: Sphinx, page: str, content: list[str]) -> None:
    """Add the entries of `WORDS` to a page, as its main ones (`!`), which the search lists first."""
    for word in WORDS.get(page, ()):
        content[0] += f"\n\n```{{index}} ! single: {word}\n```\n"


def setup(app: Sphinx) -> None:
    app.add_source_suffix(".ipynb", "markdown")
    app.connect("source-read", _notebook)
    app.connect("source-read", _files_outside)
    app.connect("source-read", _navigation)
    app.connect("source-read", _index_entries)
    app.connect("autodoc-process-docstring", _no_type, priority=100)
