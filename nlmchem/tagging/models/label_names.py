"""The names of the labels of a model, as its config.json or the user states them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpora.errors import Argument, ConfigurationError
from nlmchem.tagging.inference.labels import LabelSet


def label_set(config: Mapping[str, Any], facts: Mapping[str, Any], given: Sequence[str]) -> LabelSet:
    """The labels of a model, by its config.json and `nlmchem.json`. `given`: names that replace them (empty: none).

    Raises `ConfigurationError` as `labels_of`.
    """
    names = label_names(config)
    if not names:
        raise ConfigurationError(
            "its config.json has no labels (id2label or label2id), so it is not a trained tagger; train it first"
        )
    if given and len(given) != len(names):
        known = ", ".join(list(names.values())[:8])
        raise ConfigurationError(
            f"it has {len(names)} labels ({known}), but {len(given)} are named in ", Argument("labels"),
            "; name each label of the model, in this order",
        )  # fmt: skip
    if given and facts.get("head") == "crf":
        raise ConfigurationError("it has a CRF, whose labels are known; leave out ", Argument("labels"))
    return LabelSet.parse(dict(enumerate(given)) if given else names)


def label_names(config: Mapping[str, Any]) -> dict[int, str]:
    """The labels by their numbers: of `id2label`, a mapping or a list, or else of `label2id`.

    Raises `ConfigurationError` if they are not numbered from 0.
    """
    by_number, by_name = config.get("id2label"), config.get("label2id")
    try:
        if by_number:
            pairs = enumerate(by_number) if isinstance(by_number, list) else dict(by_number).items()
            source, names = "id2label", {int(number): str(name) for number, name in pairs}
        else:
            source, names = "label2id", {int(number): str(name) for name, number in dict(by_name or {}).items()}
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"the labels of its config.json are not numbered ({error}); correct them") from error
    if sorted(names) != list(range(len(names))):
        raise ConfigurationError(
            f"the {source} of its config.json has the numbers {', '.join(map(str, sorted(names)[:8]))}; "
            "number the labels from 0, each once"
        )
    return names
