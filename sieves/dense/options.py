"""The options of the dense fallback: the same for all commands and steps."""

from __future__ import annotations

from dataclasses import dataclass

from corpora.commands.options import option

OFF = "off"


@dataclass(frozen=True)
class DenseOptions:
    """Whether and how names that no sieve answers are compared by their vectors."""

    dense: str | None = option(
        None,
        "Encoder of the dense fallback: default, the path of a model, or off.",
        default_text=OFF,
        by_content=True,
        harmless=(OFF,),
    )
    dense_threshold: float | None = option(
        None,
        "Lowest cosine that the dense fallback accepts.",
        minimum=0,
        maximum=1,
        default_text="0.85",
        advanced=True,
    )
