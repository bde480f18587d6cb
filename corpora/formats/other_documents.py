"""Documents of other programs, such as PDF: which program makes text of them."""

from __future__ import annotations

import re

WEB_PAGES = (".html", ".htm", ".xhtml")
"""Suffixes of pages that the user may have saved."""
SAVED_PAGE = "if it is the article, take its XML, or convert it: pandoc FILE.html -t plain -o FILE.txt"
_KINDS = (
    (re.compile(rb"%PDF-"), "a PDF", "pdftotext FILE.pdf FILE.txt (of poppler), or take the XML of the article"),
    (re.compile(rb"\{\\rtf"), "RTF", "pandoc FILE.rtf -t plain -o FILE.txt"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Word document", "save it as text with LibreOffice"),
    (re.compile(rb"%!PS"), "PostScript", "ps2ascii FILE.ps FILE.txt (of ghostscript)"),
)  # fmt: skip
_OFFICE = (
    (b"word/", "a document of Word (docx)", "pandoc FILE.docx -t plain -o FILE.txt"),
    (b"xl/", "a workbook of Excel (xlsx)", "save it as CSV"),
    (b"ppt/", "a presentation of PowerPoint (pptx)", "save it as text with LibreOffice"),
    (b"mimetypeapplication/epub", "an e-book (epub)", "pandoc FILE.epub -t plain -o FILE.txt"),
    (b"mimetypeapplication/vnd.oasis", "a document of LibreOffice", "pandoc FILE.odt -t plain -o FILE.txt"),
)
"""What the beginning of an archive of an office program contains, and what it is."""
_ZIP = b"PK\x03\x04"


def document_fault(head: bytes) -> str | None:
    """Why a file that begins with `head` cannot be read, and what converts it; None for anything else."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(_ZIP):
        found = ((kind, program) for mark, kind, program in _OFFICE if mark in start)
    else:
        found = ((kind, program) for form, kind, program in _KINDS if form.match(start))
    return next((f"it is {kind}, which is not read; convert it: {program}" for kind, program in found), None)
