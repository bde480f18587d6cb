"""Keyphrases: the phrases of an article that state what it is about, ranked by a learnt model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlmchem.companions.keyphrases.keyphrase import Keyphrase

__all__ = ["Keyphrase"]


def __getattr__(name: str) -> Any:
    """Imported when it is used: the help of the commands is imported from this folder."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nlmchem.companions.keyphrases import keyphrase

    return getattr(keyphrase, name)
