"""A small Unigram tokenizer, as T5 and DeBERTa-v2 have, with the same pieces in every process."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tokenizers import Tokenizer, models, pre_tokenizers


def unigram_tokenizer(lines: Iterable[str], special: Sequence[str], unknown: str) -> Tokenizer:
    """A tokenizer whose pieces are the special tokens, and the words and characters of lines.

    A trainer would choose other pieces in each process.
    """
    splitter = pre_tokenizers.Metaspace()
    words = [word for line in lines for word, _ in splitter.pre_tokenize_str(line)]
    pieces = sorted({piece for word in words for piece in (*re.findall(r"▁?\w+", word), *word)})
    own = Tokenizer(models.Unigram([(piece, -1.0) for piece in (*special, *pieces)], special.index(unknown)))
    own.pre_tokenizer = splitter
    own.add_special_tokens(list(special))
    return own
