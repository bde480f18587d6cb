"""Sentences about silver corpora that both the card and the Croissant metadata have."""

from __future__ import annotations

from corpora.words.quantities import quantity
from ensemble.silver.facts import CorpusFacts

LANGUAGE = "en"
TAGS = ("biology", "chemistry", "medical", "biomedical text mining", "MeSH", "BioC", "silver standard")
COLLECTION = (
    "The texts are published biomedical articles, with their passages as the source files have them. Each article has "
    "its identifiers (PMCID, PMID, DOI) where its file states them, and its licence."
)
USES = (
    "Training of taggers and linkers of chemicals, beside articles that people annotated.",
    "Do not evaluate on the corpus: no person has checked the annotations.",
)
LIMITATIONS = (
    "Errors of the runs are errors of the corpus: mentions that all runs miss are missing, and mentions that most runs "
    "get wrong are wrong. A model that trains on the corpus learns these errors.",
    "Articles may also be in corpora that people annotated. Remove those of your evaluation before you train.",
)
BIASES = (
    "Chemicals whose names are in the lexicons or training data of the runs are found more often than others.",
    "Runs that have a model or a lexicon in common make the same errors, and so vote for them together.",
)
PERSONAL = (
    "The texts are published articles. They can contain names of persons, in acknowledgements for example. Nothing was "
    "added or removed."
)
SOCIAL_IMPACT = (
    "Labels by programs make training data for chemicals in many articles available without the work of annotators. "
    "Whoever uses models for decisions about health must check them on articles that people annotated."
)


def summary(facts: CorpusFacts) -> str:
    """What the corpus is, in three sentences."""
    counts = facts.counts
    articles = "1 article" if counts["documents"] == 1 else f"{counts['documents']:,} articles"
    return (
        f"{articles} with {counts['mentions']:,} mentions of chemicals, linked to {counts['distinct_identifiers']:,} "
        f"concepts of MeSH. Programs found them: a mention is listed if at least {facts.rule.threshold:.4f} of "
        f"{quantity(len(facts.runs), 'run')} have it. No person has checked the annotations."
    )


def method(facts: CorpusFacts) -> list[str]:
    """How the annotations were made, one step a sentence."""
    rule = facts.rule
    overlaps = {
        "merge": "Overlapping spans were merged into one span, from the lowest start to the highest end.",
        "best": "Of overlapping spans, the span with the highest score was kept.",
    }[rule.overlaps]
    by = "mention" if rule.per_mention else "text"
    return [
        f"A span is in the corpus if at least {rule.threshold:.4f} of the runs, by weight, have it.",
        overlaps,
        f"The identifiers of a {by} in a document are those with most votes.",
        "An index term is in the corpus if at least the same share of the runs has it.",
    ]
