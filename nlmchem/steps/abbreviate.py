"""The step `abbreviate`: the definitions of short forms in an article, and where the short forms occur."""

from __future__ import annotations

from nlmchem.run.step import Context, NoOptions, Stage, Step


def _stage(options: NoOptions, context: Context) -> Stage:
    from nlmchem.abbreviations import AbbreviationStage

    return AbbreviationStage()


STEP = Step("abbreviate", NoOptions, _stage, default=True)
