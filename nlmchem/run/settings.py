"""Options of steps as text: `tag.min_score=0.9`."""

from __future__ import annotations

from collections.abc import Iterable

from corpora.commands.options import options_of
from corpora.commands.values import from_text
from corpora.errors import OptionError
from nlmchem.run.registry import STEPS

SET = "set"


def settings_of(texts: Iterable[str], steps: tuple[str, ...]) -> dict[str, object]:
    """The values of options given as `STEP.OPTION=VALUE`, by option; later ones replace earlier ones.

    Steps that share an option have one value of it. Raises `OptionError` for another form, a step that is not one of
    `steps`, an option that the step does not have, and a text that is no value of it.
    """
    return dict(_parsed(text, steps) for text in texts)


def _parsed(setting: str, steps: tuple[str, ...]) -> tuple[str, object]:
    place, equals, text = setting.partition("=")
    step, dot, name = place.partition(".")
    if not (equals and dot and step and name):
        raise OptionError(SET, f"must be STEP.OPTION=VALUE, such as tag.min_score=0.9, not {setting!r}")
    if step not in steps:
        raise OptionError(SET, f"names the step {step!r}; the steps of this run are {', '.join(steps)}")
    known = {option.name: option for option in options_of(STEPS[step].options)}
    option = known.get(name.replace("-", "_"))
    if option is None:
        raise OptionError(SET, f"names the option {name!r}; the step {step} has {', '.join(known) or 'none'}")
    return option.name, from_text(option, text)
