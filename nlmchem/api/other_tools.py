"""The names and arguments that users of other tools type first, and what is here in their place: one table.

An object that does not have the name answers with the name that works ("Article has no ents; use .mentions"). The
section "Names" of docs/reference/comparison.md is written from this table (`benchmarks/release/other_tools.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

ARTICLE, MENTION, PIPELINE, MODULE, ARTICLES, COLLECTION = (
    "Article", "Mention", "Pipeline", "nlmchem", "Articles", "Collection",
)  # fmt: skip
LOAD, CALL, PIPE = "nlmchem.load", "nlp", "nlp.pipe"
LENGTH, ITEMS = "len()", "[...]"


@dataclass(frozen=True, slots=True)
class Guess:
    """A name that users try on an object, or an argument that they give to a function.

    `use`: what the name means here if `works`; what works in its place if not.
    """

    owner: str
    name: str
    use: str
    works: bool = False


_COMPONENT = "spaCy with the component nlmchem (nlp.add_pipe) has them"
_STEPS = "nlmchem.load(steps=...) selects the steps"
_EACH = "it is a stream of articles: for article in articles, or articles[0]"
_ROWS = "use .to_dataframe() or .to_rows()"
_PAGE = (
    'use nlmchem.write(article, "a.xml"), then nlmchem.commands.view("a.xml", out="a.html"); a notebook shows article'
)

_TABLE: dict[tuple[str, bool], dict[str, str]] = {
    (ARTICLE, True): {
        "title": "the title on one line; empty if no passage is one",
        "abstract": "the text of the abstract; empty if no passage is one",
        "pmid pmcid doi": "the identifier as the file states it; None if it does not",
        "annotations": "BioC annotations outside passages, with a warning if there are none; use .mentions",
        "sentences": "BioC sentences outside passages, with a warning if there are none; use .passages",
    },
    (ARTICLE, False): {
        "ents entities spans chemicals": "use .mentions",
        "sents sentence tokens noun_chunks": f"use .passages, whose texts are not divided; {_COMPONENT}",
        "to_json": "use .to_dict()",
        "to_pandas to_df df": "use .to_dataframe()",
        "to_bytes to_disk to_csv save write": "use nlmchem.write(article, path)",
        "to_spacy to_doc": f"use nlmchem.write(article, \"a.spacy\"), which spacy.tokens.DocBin reads; {_COMPONENT}",
        "to_dataset": "use datasets.Dataset.from_list(article.to_rows())",
        "view show render display": _PAGE,
        "chemical_mentions annotate": "use .mentions, which nlp(article) adds",
        "cats": "use .index_terms",
        "definitions": "use .abbreviations",
        "sections": "use .passages, or the section of each mention",
        "_": "what is an extension in spaCy is an attribute here: use .abbreviations, .mentions or .index_terms",
        "user_data meta": "use .infons, or .pmid, .pmcid and .doi",
        LENGTH: "use len(article.text), len(article.mentions) or len(article.passages)",
        ITEMS: "use article.mentions, article.passages or article.text",
    },
    (MENTION, True): {
        "start_char": "the same as start",
        "end_char": "the same as end",
        "label_": "the same as type",
        "kb_id_": "the identifiers, joined by commas; empty if there is none",
    },
    (MENTION, False): {
        "label": "use .type",
        "kb_id id cui mesh mesh_id": "use .identifier",
        "text_with_ws": "use .text",
        "to_dict dict": "use dataclasses.asdict(mention), or .to_rows() of the article",
        "sentence context": "use .passage",
        "entity name_": "use .name, or .identifier",
        "abbreviation long_form": "use .abbreviations of the article",
        "ent_id_": "use .annotation.id",
        "prob confidence": "use .probability, and .identifier_probability for the identifier",
        "span": "use .start and .end, or .spans for all parts",
        "sent": "use .passage",
        "_": "what is an extension in spaCy is an attribute here: use .identifier, .name or .evidence",
    },
    (PIPELINE, True): {
        "pipe_names": "the names of the steps, as a list",
        "pipe": "many texts",
        "add_pipe": "a function on an article as a further step",
    },
    (PIPELINE, False): {
        "to_disk to_bytes save": "pickle.dumps(nlp) keeps its options; nlmchem.write(articles, path) writes articles",
        "from_disk from_bytes": "use nlmchem.load(tagger=...) for a model",
        "select_pipes disable_pipes disable_pipe enable_pipe remove_pipe": _STEPS,
        "has_pipe analyze_pipes": "use .steps",
        "meta config": "its options are the arguments of nlmchem.load; use .steps",
        "components pipeline get_pipe": "use .stages",
        "vocab tokenizer make_doc": f"texts are not divided into tokens here; {_COMPONENT}",
        "evaluate": "use nlmchem.commands.evaluate_spans(gold, [run])",
        "update train": "use nlmchem.commands.train_tagger(...)",
        "annotate predict process": "use nlp(text), or nlp.pipe(texts)",
    },
    (MODULE, False): {
        "evaluate": "use nlmchem.commands.evaluate_spans(gold, [run])",
        "annotate": "use nlmchem.load()(text), or nlmchem.commands.annotate([path], out=path) for files",
        "convert": "use nlmchem.commands.convert(path, out=path)",
        "train": "use nlmchem.commands.train_tagger(...)",
        "tag ner": "use nlmchem.load(steps=\"tag\")(text)",
        "ground normalize link": "use nlmchem.lookup(name)",
        "get_names": "use nlmchem.define(identifier).synonyms",
        "Pipeline pipeline blank": "use nlmchem.load()",
        "explain": "use nlmchem.load().explain(text)",
        "fetch download": "use nlmchem.commands.fetch(\"NAME\"); fetch(list=True) lists what there is",
        "Document Doc": "use nlmchem.Article(text, id=id, title=title)",
        "read_csv from_pandas": "use nlmchem.load().pipe(df), or nlmchem.read(path)",
        "save to_csv": "use nlmchem.write(articles, path)",
        "view show": _PAGE,
    },
    (ARTICLES, False): {
        "mentions documents ents text id title index_terms abbreviations": _EACH,
        "to_pandas to_df df": "use .to_dataframe()",
        "to_dict to_json": _ROWS,
        "to_csv to_disk save write": "use nlmchem.write(articles, path)",
        "to_dataset": "use datasets.Dataset.from_list(articles.to_rows())",
        "append extend sort": "use list(articles)",
        LENGTH: "their number is not known before they are read: use len(list(articles))",
        ITEMS: "use list(articles): a stream has neither places from the end nor articles that were taken",
    },
    (COLLECTION, False): {
        "mentions text to_rows to_dataframe to_dict": "ask its articles: for article in collection",
        "articles": "use .documents",
    },
    (LOAD, False): {
        "model name path": "the tagger is the first argument: nlmchem.load(\"default\")",
        "disable exclude enable": "use steps",
        "threshold": "use min_score",
        "n_process batch_size workers": "use nlp.pipe(texts, n_process=2, batch_size=8)",
        "format": "use nlmchem.write(articles, path, format)",
    },
    (CALL, False): {
        "batch_size n_process as_tuples progress": "use nlp.pipe(texts, ...)",
        "disable component_cfg": _STEPS,
        "threshold": "use nlmchem.load(min_score=...)",
    },
    (PIPE, True): {
        "n_process batch_size as_tuples": "as in spaCy",
        "progress": "a bar on standard error",
    },
    (PIPE, False): {
        "disable component_cfg": _STEPS,
        "threshold": "use nlmchem.load(min_score=...)",
    },
}  # fmt: skip
"""What the names mean (True: they work here), or what to use in their place. Names are separated by blanks."""

GUESSES = tuple(
    Guess(owner, name, use, works)
    for (owner, works), by_use in _TABLE.items()
    for names, use in by_use.items()
    for name in names.split()
)
"""All guesses. An option of `nlmchem.load` that is given to `nlp` or `nlp.pipe` is answered without an entry."""

_USES = {(guess.owner, guess.name): guess.use for guess in GUESSES if not guess.works}


def answer(owner: str, name: str) -> str | None:
    """The sentence for a name that an object or a module does not have; None if the table does not have it."""
    use = _USES.get((owner, name))
    return None if use is None else f"{owner} has no {name}; {use}"


def missing_attribute(owner: str, name: str, instance: object) -> AttributeError:
    """The error for an attribute that an object does not have, with what works in its place."""
    sentence = answer(owner, name)
    if sentence is not None:
        # Without `name` and `obj`, so that Python adds no similar name to the answer.
        return AttributeError(sentence)
    return AttributeError(f"{type(instance).__name__!r} object has no attribute {name!r}", name=name, obj=instance)


def missing_operation(owner: str, name: str = LENGTH) -> TypeError:
    """The error for `len(...)` of an object that has no single length, and for `article[0]`."""
    return TypeError(answer(owner, name))


def unknown_argument(owner: str, name: str) -> TypeError:
    """The error for an argument that `nlmchem.load`, `nlp` or `nlp.pipe` does not have."""
    use = _USES.get((owner, name))
    if use is None and owner == LOAD:
        use = "help(nlmchem.load) lists them"
    elif use is None:
        from corpora.commands.options import options_of
        from nlmchem.run.plan import Configuration

        if name in {option.name for option in options_of(Configuration)}:
            use = f"it is an argument of nlmchem.load: nlp = nlmchem.load({name}=...)"
    remedy = f"; {use}" if use else ""
    return TypeError(f"{owner}() has no argument {name!r}{remedy}")
