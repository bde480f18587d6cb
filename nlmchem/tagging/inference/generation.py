"""Scores of all word pieces of all passages by a text-to-text model: windows, outputs, averages in overlaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpora.errors import Argument, ArticleError
from nlmchem.tagging.inference.copying import Copy, copy_with_marks
from nlmchem.tagging.inference.decoding import best_roles
from nlmchem.tagging.inference.scoring import Coverage, ScoredPassage, out_of_memory
from nlmchem.tagging.models.text_to_text import TextToTextModel
from nlmchem.tagging.tokenization.windows import sentence_pieces, stretches
from nlmchem.tagging.tokenization.word_pieces import Encoded

__all__ = ["score_text_to_text"]


def score_text_to_text(
    model: TextToTextModel, articles: Sequence[Sequence[str]]
) -> tuple[list[list[ScoredPassage]], Coverage]:
    """The scored passages of each article, and the counts of pieces. `articles`: the texts of passages of each article.

    Each window is written alone, so no output depends on other texts. A passage that fits into a window has the roles
    that the model wrote. A longer one gets overlapping windows; their probabilities are averaged, and the best legal
    roles are taken. Raises `ArticleError` if a score is not a number, or if a window does not fit into memory.
    """
    coverage = Coverage(articles=len(articles))
    return [[_scored(model, text, coverage) for text in texts] for texts in articles], coverage


def _scored(model: TextToTextModel, text: str, coverage: Coverage) -> ScoredPassage:
    (encoded,) = model.cutter([text])
    size = len(encoded)
    sums = np.zeros((size, model.labels.scheme.size), dtype=np.float32)
    counts = np.zeros(size, dtype=np.int32)
    places = stretches(size, sentence_pieces(text, encoded), model.capacity) if size else []
    copies = [_written(model, encoded, first, last) for first, last in places]
    for (first, last), copy in zip(places, copies, strict=True):
        sums[first:last] += copy.probabilities
        counts[first:last] += 1
        coverage.computed += last - first
    coverage.pieces += size
    unseen = int((counts == 0).sum())
    coverage.unseen += unseen
    if unseen:
        raise ArticleError(f"{unseen} word pieces have no scores; this is an error in nlmchem, please report it")
    mean = np.divide(sums, counts[:, None], dtype=np.float32)
    roles = copies[0].roles if len(copies) == 1 else best_roles(mean, encoded.glued, model.labels.scheme)
    return ScoredPassage(encoded, mean, roles)


def _written(model: TextToTextModel, encoded: Encoded, first: int, last: int) -> Copy:
    """What the model writes for pieces `first` to `last` (exclusive)."""
    import torch

    ids = encoded.ids[first:last].tolist()
    try:
        with torch.inference_mode():
            return copy_with_marks(model.read(ids).following, model.start, ids, encoded.glued[first:last], model.marks)
    except (RuntimeError, MemoryError) as error:
        if not out_of_memory(error):
            raise
        raise ArticleError(
            f"there is not enough memory on {model.device} for one window of {len(ids)} pieces; use fewer workers, "
            "a smaller window in the nlmchem.json of the model, or ",
            Argument("device", "cpu"),
        ) from error
