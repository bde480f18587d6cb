# Written by `nlmchem.api.loading.stub`; a test compares it with the steps.
from collections.abc import Callable, Sequence
from os import PathLike

from nlmchem.api.concepts import Candidate as Candidate
from nlmchem.api.concepts import Concept as Concept
from nlmchem.api.concepts import OwnTables
from nlmchem.api.concepts import define as define
from nlmchem.api.concepts import lookup as lookup
from nlmchem.api.files import read as read
from nlmchem.api.files import write as write
from nlmchem.api.mention import Mention as Mention
from nlmchem.api.pipeline import Pipeline
from nlmchem.api.results import Article as Article
from nlmchem.api.results import Articles as Articles
from nlmchem.api.results import Collection as Collection

from . import commands as commands

__version__: str

def load(
    tagger: str | PathLike[str] = ...,
    *,
    steps: str | Sequence[str | Callable[[Article], object]] = ...,
    arithmetic: str = ...,
    guidelines: str | None = ...,
    labels: str | Sequence[str] = ...,
    min_score: float = ...,
    target_precision: float | None = ...,
    device: str = ...,
    lexicon: str | PathLike[str] | None = ...,
    names: OwnTables = ...,
    rules: str = ...,
    decision: str | PathLike[str] | None = ...,
    explain: bool = ...,
    skip_sections: str | Sequence[str] = ...,
    existing: str | None = ...,
    as_of: int | None = ...,
    dense: str | PathLike[str] | None = ...,
    dense_threshold: float | None = ...,
    sieves: str | Sequence[str] = ...,
    xrefs: bool = ...,
    indexer: str | PathLike[str] | None = ...,
    index_threshold: float | None = ...,
    index_top: int | None = ...,
    dictionary: str | PathLike[str] | None = ...,
    expand_threshold: float | None = ...,
    repair_types: str | Sequence[str] = ...,
    keyphrase_model: str | PathLike[str] | None = ...,
    keyphrase_threshold: float | None = ...,
) -> Pipeline: ...
