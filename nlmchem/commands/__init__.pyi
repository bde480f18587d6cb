# Written by `nlmchem.commands.functions.stub`; a test compares it with the commands.
from collections.abc import Sequence
from os import PathLike

from corpora.commands.result import Result

def abbreviations(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    undefined: bool = ...,
    dictionary: str | PathLike[str] | None = ...,
    threshold: float | None = ...,
    encoder: str | PathLike[str] | None = ...,
) -> Result: ...

def annotate(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]] | None = ...,
    *,
    out: str | PathLike[str] | None = ...,
    text: str | PathLike[str] | None = ...,
    steps: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    format: str | PathLike[str] | None = ...,
    lines: bool = ...,
    with_abbreviations: bool = ...,
    tagger: str | PathLike[str] = ...,
    arithmetic: str | PathLike[str] = ...,
    guidelines: str | PathLike[str] | None = ...,
    labels: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    min_score: float = ...,
    device: str | PathLike[str] = ...,
    lexicon: str | PathLike[str] | None = ...,
    rules: str | PathLike[str] = ...,
    decision: str | PathLike[str] | None = ...,
    explain: bool = ...,
    skip_sections: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    existing: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
    sieves: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    dense: str | PathLike[str] | None = ...,
    dense_threshold: float | None = ...,
    indexer: str | PathLike[str] | None = ...,
    index_threshold: float | None = ...,
    index_top: int | None = ...,
    dictionary: str | PathLike[str] | None = ...,
    expand_threshold: float | None = ...,
    repair_types: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    keyphrase_model: str | PathLike[str] | None = ...,
    keyphrase_threshold: float | None = ...,
    workers: int | str | None = ...,
    timeout: float | None = ...,
    max_failures: object | str | None = ...,
    shard: object | str = ...,
    dask: str | PathLike[str] | None = ...,
    include: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    exclude: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    quiet: bool = ...,
    restart: bool = ...,
    retry_failed: bool = ...,
    runs: bool = ...,
) -> Result: ...

def corpora_pairs(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    most: int = ...,
    uses: int = ...,
    unbalanced: bool = ...,
    definitions: bool = ...,
    parts: bool = ...,
    lexicon: str | PathLike[str] | None = ...,
    seed: int = ...,
) -> Result: ...

def evaluate_keyphrases(
    gold: str | PathLike[str],
    predicted: str | PathLike[str],
) -> Result: ...

def evaluate_pairs(
    gold: str | PathLike[str],
    predicted: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    samples: int = ...,
    seed: int = ...,
) -> Result: ...

def evaluate_senses(
    corpus: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    split: str | PathLike[str] | None = ...,
    methods: str | PathLike[str] | Sequence[str | PathLike[str]] | None = ...,
    dictionary: str | PathLike[str] | None = ...,
    encoder: str | PathLike[str] | None = ...,
    samples: int = ...,
    seed: int = ...,
) -> Result: ...

def keyphrases_explain(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    number: int | None = ...,
    threshold: float | None = ...,
    model: str | PathLike[str] = ...,
    candidates: int = ...,
    reasons: int = ...,
) -> Result: ...

def keyphrases_list(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    number: int | None = ...,
    threshold: float | None = ...,
    model: str | PathLike[str] = ...,
) -> Result: ...

def lexicon_info(
    *,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def lexicon_lookup(
    names: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
) -> Result: ...

def pairs(
    source: str | PathLike[str],
    *,
    lexicon: str | PathLike[str] | None = ...,
    dictionary: str | PathLike[str] = ...,
    encoder: str | PathLike[str] = ...,
    model: str | PathLike[str] | None = ...,
) -> Result: ...

def replay(
    quarantine: str | PathLike[str],
    *,
    workers: int | str | None = ...,
) -> Result: ...

def train_encoder(
    samples: str | PathLike[str],
    *,
    base: str | PathLike[str],
    out: str | PathLike[str],
    passes: float = ...,
    rate: float = ...,
    batch: int = ...,
    seed: int = ...,
    device: str | PathLike[str] = ...,
    bfloat16: bool = ...,
    corpus: str | PathLike[str] = ...,
    split: str | PathLike[str] | None = ...,
    minutes: float | None = ...,
) -> Result: ...

def train_keyphrases(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    keys: str | PathLike[str] | None = ...,
    trees: int = ...,
    folds: int = ...,
    seed: int = ...,
) -> Result: ...

def train_pairs(
    sources: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    lexicon: str | PathLike[str] | None = ...,
    dictionary: str | PathLike[str] = ...,
    encoder: str | PathLike[str] = ...,
    seed: int = ...,
) -> Result: ...

def train_senses(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    articles: int = ...,
    words: int = ...,
    terms: int = ...,
    width: int = ...,
    seed: int = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...
