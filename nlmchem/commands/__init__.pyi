# Written by `nlmchem.commands.functions.stub`; a test compares it with the commands.
from collections.abc import Sequence
from os import PathLike

from corpora.commands.result import Result

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

def corpora_augment(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    mode: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    copies: int = ...,
    rate: float = ...,
    lexicon: str | PathLike[str] | None = ...,
    seed: int = ...,
    format: str | PathLike[str] | None = ...,
) -> Result: ...

def corpora_distant(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    limit: int | None = ...,
    labelled_only: bool = ...,
    format: str | PathLike[str] | None = ...,
) -> Result: ...

def curate_export(
    selection: str | PathLike[str],
    *,
    out: str | PathLike[str],
    to: str | PathLike[str],
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def curate_import(
    tasks: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    selection: str | PathLike[str],
    out: str | PathLike[str],
    merge: str | PathLike[str] = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def curate_learn(
    gold: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    base: str | PathLike[str] = ...,
    replay: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    folds: int = ...,
    passes: float = ...,
    device: str | PathLike[str] = ...,
    minutes: float | None = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def curate_select(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    number: int = ...,
    threshold: float = ...,
    random: bool = ...,
    seed: int = ...,
    missing: str | PathLike[str] = ...,
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

def replay(
    quarantine: str | PathLike[str],
    *,
    workers: int | str | None = ...,
) -> Result: ...

def train_mean(
    models: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
) -> Result: ...
