"""The step `abbreviate`: definitions are written, and the lexicon is not opened."""

from __future__ import annotations

from plain_articles import plain_article

from corpora.model.document import definitions
from nlmchem.api.pipeline import build_pipeline
from nlmchem.run.plan import Configuration


def test_definitions_are_written_into_the_article() -> None:
    plan = Configuration.of(steps=("abbreviate",)).parse()
    document = plain_article("Mice were fed docosahexaenoic acid (DHA).")
    build_pipeline(plan)(document)
    assert [(one.short_form, one.long_form) for one in definitions(document)] == [("DHA", "docosahexaenoic acid")]
    assert plan.fingerprint()["steps"] == {"abbreviate": {"options": {}, "resources": {}}}
