"""The options that name articles or a corpus: the same for all commands that read either."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpora.commands.options import argument, option
from corpora.reporting import Report

if TYPE_CHECKING:
    from bioc import BioCDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusInputs:
    """Articles, or folders of a corpus."""

    inputs: tuple[str, ...] = argument(
        "Files, folders, glob patterns or archives; with `corpus` folders of that corpus.", metavar="INPUT..."
    )
    corpus: str | None = option(None, "Read INPUT as this corpus (see `corpora list`).", metavar="NAME")
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")

    def documents(self, report: Report) -> Iterator[BioCDocument]:
        """The articles, one at a time."""
        from corpora.datasets.registry import documents

        return documents(self.inputs, self.corpus, self.split, report)
