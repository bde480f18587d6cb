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
