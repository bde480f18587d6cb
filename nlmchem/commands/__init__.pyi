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
    overwrite: bool = ...,
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
    dense: str | PathLike[str] | None = ...,
    dense_threshold: float | None = ...,
    sieves: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    indexer: str | PathLike[str] | None = ...,
    index_threshold: float | None = ...,
    index_top: int | None = ...,
    dictionary: str | PathLike[str] | None = ...,
    expand_threshold: float | None = ...,
    repair_types: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    keyphrase_model: str | PathLike[str] | None = ...,
    keyphrase_threshold: float | None = ...,
    set: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
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

def bench(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]] | None = ...,
    *,
    workers: int | str | None = ...,
    lexicon: str | PathLike[str] | None = ...,
    tagger: str | PathLike[str] = ...,
    seconds: float = ...,
) -> Result: ...

def convert(
    source: str | PathLike[str],
    target: str | PathLike[str] | None = ...,
    *,
    out: str | PathLike[str] | None = ...,
    format: str | PathLike[str] | None = ...,
    lines: bool = ...,
    with_abbreviations: bool = ...,
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
    overwrite: bool = ...,
) -> Result: ...

def corpora_augment(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    overwrite: bool = ...,
    mode: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    copies: int = ...,
    rate: float = ...,
    lexicon: str | PathLike[str] | None = ...,
    seed: int = ...,
    format: str | PathLike[str] | None = ...,
) -> Result: ...

def corpora_convert(
    name: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
    split: str | PathLike[str] | None = ...,
    format: str | PathLike[str] | None = ...,
    index: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    sections: bool = ...,
    lexicon: str | PathLike[str] | None = ...,
    replaced: str | PathLike[str] | None = ...,
) -> Result: ...

def corpora_dictionary(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    samples: bool = ...,
    linked: bool = ...,
    least: int = ...,
    limit: int | None = ...,
    seed: int = ...,
) -> Result: ...

def corpora_distant(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    overwrite: bool = ...,
    limit: int | None = ...,
    labelled_only: bool = ...,
    format: str | PathLike[str] | None = ...,
) -> Result: ...

def corpora_info(
    name: str | PathLike[str],
    folder: str | PathLike[str] | None = ...,
) -> Result: ...

def corpora_leaks(
    left: str | PathLike[str],
    right: str | PathLike[str],
) -> Result: ...

def corpora_list(
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

def corpora_split(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    corpus: str | PathLike[str] | None = ...,
    split: str | PathLike[str] | None = ...,
    out: str | PathLike[str],
    shares: str | PathLike[str] = ...,
    folds: int | None = ...,
    seed: int = ...,
    format: str | PathLike[str] = ...,
) -> Result: ...

def corpora_stats(
    name: str | PathLike[str],
    folder: str | PathLike[str] | None = ...,
    *,
    split: str | PathLike[str] | None = ...,
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

def doctor(
    *,
    out: str | PathLike[str] = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def ensemble_agreement(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    missing: str | PathLike[str] = ...,
    workers: int | str | None = ...,
    out: str | PathLike[str] | None = ...,
    task: str | PathLike[str] = ...,
    restart: bool = ...,
) -> Result: ...

def ensemble_identifiers(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    missing: str | PathLike[str] = ...,
    workers: int | str | None = ...,
    out: str | PathLike[str],
    threshold: str | PathLike[str] = ...,
    gold: str | PathLike[str] | None = ...,
    samples: int = ...,
    weights: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    format: str | PathLike[str] = ...,
    restart: bool = ...,
    overlaps: str | PathLike[str] = ...,
    per_mention: bool = ...,
) -> Result: ...

def ensemble_indexing(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    missing: str | PathLike[str] = ...,
    workers: int | str | None = ...,
    out: str | PathLike[str],
    threshold: str | PathLike[str] = ...,
    gold: str | PathLike[str] | None = ...,
    samples: int = ...,
    weights: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    format: str | PathLike[str] = ...,
    restart: bool = ...,
) -> Result: ...

def ensemble_spans(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    missing: str | PathLike[str] = ...,
    workers: int | str | None = ...,
    out: str | PathLike[str],
    threshold: str | PathLike[str] = ...,
    gold: str | PathLike[str] | None = ...,
    samples: int = ...,
    weights: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    format: str | PathLike[str] = ...,
    restart: bool = ...,
    overlaps: str | PathLike[str] = ...,
) -> Result: ...

def evaluate_abbreviations(
    gold: str | PathLike[str],
    predicted: str | PathLike[str],
) -> Result: ...

def evaluate_identifiers(
    gold: str | PathLike[str],
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    approximate: bool = ...,
    samples: int = ...,
    seed: int = ...,
    no_verify: bool = ...,
    report: str | PathLike[str] | None = ...,
    type: str | PathLike[str] | None = ...,
    parents: str | PathLike[str] | None = ...,
    train: str | PathLike[str] | None = ...,
) -> Result: ...

def evaluate_indexing(
    gold: str | PathLike[str],
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    approximate: bool = ...,
    samples: int = ...,
    seed: int = ...,
    no_verify: bool = ...,
    report: str | PathLike[str] | None = ...,
    type: str | PathLike[str] | None = ...,
    parents: str | PathLike[str] | None = ...,
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

def evaluate_spans(
    gold: str | PathLike[str],
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    approximate: bool = ...,
    samples: int = ...,
    seed: int = ...,
    no_verify: bool = ...,
    report: str | PathLike[str] | None = ...,
    type: str | PathLike[str] | None = ...,
    train: str | PathLike[str] | None = ...,
) -> Result: ...

def explain(
    article: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    mention: str | PathLike[str] | None = ...,
    tagger: str | PathLike[str] = ...,
    decision: str | PathLike[str] | None = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def fetch(
    name: str | PathLike[str] | None = ...,
    *,
    year: int | None = ...,
    ids: str | PathLike[str] | None = ...,
    out: str | PathLike[str] | None = ...,
    mirror: str | PathLike[str] | None = ...,
    token: bool = ...,
    from_file: str | PathLike[str] | None = ...,
    revision: str | PathLike[str] | None = ...,
    again: bool = ...,
    accept_changed: bool = ...,
    list: bool = ...,
    cached: bool = ...,
    empty: bool = ...,
) -> Result: ...

def index_explain(
    annotated: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    indexer: str | PathLike[str] | None = ...,
    index_threshold: float | None = ...,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
    reasons: int = ...,
) -> Result: ...

def index_list(
    annotated: str | PathLike[str] | Sequence[str | PathLike[str]],
) -> Result: ...

def index_suggest(
    annotated: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    number: int | None = ...,
    indexer: str | PathLike[str] | None = ...,
    index_threshold: float | None = ...,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
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

def lexicon_build(
    *,
    desc: str | PathLike[str] | Sequence[str | PathLike[str]],
    out: str | PathLike[str],
    overwrite: bool = ...,
    supp: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    history: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    names: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    crossref: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    corpus: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    branch: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    shipped_names: bool = ...,
) -> Result: ...

def lexicon_explain(
    mention: str | PathLike[str],
    *,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
    define: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    dense: str | PathLike[str] | None = ...,
    dense_threshold: float | None = ...,
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

def lexicon_order(
    *,
    gold: str | PathLike[str] | Sequence[str | PathLike[str]],
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

def silver_build(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    taggers: str | PathLike[str],
    threshold: float = ...,
    lexicon: str | PathLike[str] | None = ...,
    existing: str | PathLike[str] | None = ...,
    workers: int | str | None = ...,
    restart: bool = ...,
) -> Result: ...

def silver_vote(
    runs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    missing: str | PathLike[str] = ...,
    workers: int | str | None = ...,
    out: str | PathLike[str],
    weights: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    format: str | PathLike[str] = ...,
    restart: bool = ...,
    threshold: float = ...,
    shard_size: int = ...,
    overlaps: str | PathLike[str] = ...,
    per_mention: bool = ...,
) -> Result: ...

def submit(
    articles: str | PathLike[str],
    *,
    task: str | PathLike[str],
    team: str | PathLike[str],
    run: int,
    out: str | PathLike[str],
    overwrite: bool = ...,
    tagger: str | PathLike[str] | None = ...,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
    existing: str | PathLike[str] | None = ...,
    workers: int | str | None = ...,
    reference: str | PathLike[str] | None = ...,
) -> Result: ...

def train_decision(
    corpus: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
    leave_out: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    tagger: str | PathLike[str] = ...,
    articles: int = ...,
    threshold: float | None = ...,
    floor: float = ...,
    folds: int = ...,
    seed: int = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...

def train_dense(
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
    lexicon: str | PathLike[str] | None = ...,
    names: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    base: str | PathLike[str] | None = ...,
    minutes: float = ...,
    steps: int | None = ...,
    seed: int = ...,
    held_out: float = ...,
    rate: float = ...,
    precision: str | PathLike[str] = ...,
    device: str | PathLike[str] = ...,
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

def train_indexer(
    annotated: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    gold: str | PathLike[str],
    out: str | PathLike[str],
    overwrite: bool = ...,
    lexicon: str | PathLike[str] | None = ...,
    as_of: int | None = ...,
    folds: int = ...,
    seed: int = ...,
) -> Result: ...

def train_keyphrases(
    inputs: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
    keys: str | PathLike[str] | None = ...,
    trees: int = ...,
    folds: int = ...,
    seed: int = ...,
) -> Result: ...

def train_mean(
    models: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
) -> Result: ...

def train_pairs(
    sources: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
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

def train_tagger(
    *,
    base: str | PathLike[str],
    out: str | PathLike[str],
    corpus: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    first: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    silver: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    silver_weight: float = ...,
    dev: str | PathLike[str] | None = ...,
    leave_out: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    negatives: float = ...,
    replay: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    replayed: int = ...,
    augment: str | PathLike[str] = ...,
    copies: int = ...,
    lexicon: str | PathLike[str] | None = ...,
    head: str | PathLike[str] = ...,
    scheme: str | PathLike[str] = ...,
    window: int = ...,
    letter_case: bool = ...,
    gazetteer: bool = ...,
    guidelines: str | PathLike[str] | Sequence[str | PathLike[str]] = ...,
    passes: float = ...,
    rate: float = ...,
    first_passes: float = ...,
    first_rate: float = ...,
    batch: int = ...,
    accumulate: int = ...,
    layer_decay: float = ...,
    smoothing: float = ...,
    dropout: float | None = ...,
    patience: int = ...,
    folds: int = ...,
    seeds: int | Sequence[int] = ...,
    rules: str | PathLike[str] = ...,
    store: str | PathLike[str] = ...,
    device: str | PathLike[str] = ...,
    precision: str | PathLike[str] | None = ...,
    threads: int | None = ...,
    minutes: float | None = ...,
) -> Result: ...

def view(
    source: str | PathLike[str],
    *,
    out: str | PathLike[str],
    overwrite: bool = ...,
    gold: str | PathLike[str] | None = ...,
    lexicon: str | PathLike[str] | None = ...,
) -> Result: ...
