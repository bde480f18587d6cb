"""Text of an article as UTF-8, for formats that cannot store lone surrogates."""

from __future__ import annotations

from bioc import BioCDocument

from corpora.errors import ArticleError


def encoded(text: str, document: BioCDocument) -> bytes:
    """`text`, which is from `document`, in UTF-8. Raises `ArticleError` for a lone surrogate."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ArticleError(
            f"document {document.id!r} contains a lone surrogate, which UTF-8 cannot store; correct the text"
        ) from error
