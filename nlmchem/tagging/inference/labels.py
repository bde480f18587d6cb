"""The labels of a model, and the roles of word pieces that they stand for.

All label sets are reduced to *roles*: `O B I` (BIO), or `O B I L U` (BILOU; BIOES uses other letters for the same).
Labels of other entity types count as `O`. Labels may be `O I` (IO): neighbouring pieces of a chemical are one mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import Argument, ConfigurationError

OUTSIDE, BEGIN, INSIDE, LAST, UNIT = range(5)

PieceSpan = tuple[int, int]
"""First and last (exclusive) word piece of a mention."""

_LABEL = re.compile(r"([BILUES])(?:[-_](.+))?")
_OUTSIDE = ("O", "OUTSIDE")
_LETTERS = {"B": BEGIN, "I": INSIDE, "L": LAST, "E": LAST, "U": UNIT, "S": UNIT}
_EXAMPLE = "O,B-Chemical,I-Chemical"
_PAIR = "O,I-Chemical"
_USUAL = (
    "simplechem simplechemical organicchemical inorganicchemical drug drugn drugname drugentity clinicaldrug compound "
    "substance pharmacologicsubstance activeingredient medication medicine molecule smallmolecule metabolite reagent "
    "chebi iupac"
)
_TYPES = frozenset(_USUAL.split())
"""The usual names of the entity type chemical, besides those that begin with `chem`; without marks and plural."""
_TYPES_OF_CORPORA = {
    "systematic": "systematic trivial formula family abbreviation identifier multiple",
    "drugn": "brand group",
}
"""CHEMDNER and DDI: one type -> the other types of chemicals of a model that has it."""
_NO_MARK = re.compile(r"[\W_]+")


class Scheme(StrEnum):
    """How labels of word pieces represent mentions."""

    BIO = "bio"
    BILOU = "bilou"

    @property
    def size(self) -> int:
        """The number of roles."""
        return 3 if self is Scheme.BIO else 5


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of a model. `roles[i]` is the role of label i. Without a role B the labels are IO."""

    scheme: Scheme
    roles: tuple[int, ...]

    @classmethod
    def parse(cls, names: Mapping[int, str]) -> LabelSet:
        """The label set of a configuration's `id2label`, or of names that replace them.

        Only the types of chemicals count; labels without a type (`B`, `I`) are of chemicals. Labels may be IO:
        `I-TYPE`, or the type alone. Raises `ConfigurationError` if no type is chemical, or for other names.
        """
        ordered = [str(names[number]) for number in sorted(names)]
        parsed = _parsed(ordered)
        types = sorted({type for role, type in parsed if role != OUTSIDE})
        wanted = chemical_types(types)
        if types and not wanted:
            raise ConfigurationError(
                f"its labels mark {', '.join(types[:8])}, and no type is a usual name of chemicals; give a model of "
                "chemicals, or, if it is one, name all its labels, in their order, with ",
                Argument("labels", _EXAMPLE),
            )
        roles = tuple(role if type in wanted else OUTSIDE for role, type in parsed)
        used = set(roles)
        scheme = Scheme.BILOU if used & {LAST, UNIT} else Scheme.BIO
        missing = set(range(scheme.size)) - used
        if missing - {BEGIN} or (missing and scheme is Scheme.BILOU):
            raise ConfigurationError(
                f"its labels {', '.join(ordered[:8])} are not those of a chemical tagger: "
                f"{' '.join(sorted('OBILU'[role] for role in missing))} is missing; "
                "give a model that was trained on B-/I- labels of chemicals, or name its labels with ",
                Argument("labels", _EXAMPLE if len(ordered) > 2 else _PAIR),
            )
        return cls(scheme, roles)

    @property
    def plain(self) -> bool:
        """Whether labels and roles are the same."""
        return self.roles == tuple(range(self.scheme.size))

    def reduce(self, probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
        """Probabilities of roles (pieces x roles): sums of the probabilities of labels (pieces x labels).

        Of IO labels, a piece begins a mention as far as the piece before it is outside.
        """
        if self.plain:
            return probabilities
        reduced = np.zeros((len(probabilities), self.scheme.size), dtype=np.float32)
        for label, role in enumerate(self.roles):
            reduced[:, role] += probabilities[:, label]
        if BEGIN not in self.roles:
            chemical = reduced[:, INSIDE].copy()
            before = np.concatenate((np.zeros(1, dtype=np.float32), chemical[:-1]))
            reduced[:, BEGIN], reduced[:, INSIDE] = chemical * (1 - before), chemical * before
        return reduced


OWN_NAMES = ("O", "B-Chemical", "I-Chemical")
"""The label names of the models that are trained here."""
OWN_LABELS = LabelSet(Scheme.BIO, (OUTSIDE, BEGIN, INSIDE))
"""Their label set."""


def chemical_types(types: Iterable[str]) -> set[str]:
    """The types that are chemicals by their names; the type without a name is one.

    >>> sorted(chemical_types(["SIMPLE_CHEMICAL", "Drugs", "Disease", "Drug-Dosage", "CHEM"]))
    ['CHEM', 'Drugs', 'SIMPLE_CHEMICAL']
    """
    letters = {type: _NO_MARK.sub("", type).casefold().removesuffix("s") for type in types}
    present = letters.values()
    usual = _TYPES.union(*(others.split() for type, others in _TYPES_OF_CORPORA.items() if type in present))
    return {type for type, name in letters.items() if not type or name in usual or name.startswith("chem")}


def _parsed(names: Sequence[str]) -> list[tuple[int, str]]:
    """The role and the type of each label."""
    outside = [name.upper() in _OUTSIDE for name in names]
    if any(outside) and not any(map(_LABEL.fullmatch, names)):
        # `O`, `CHEMICAL`: a type alone marks all pieces of a mention.
        bare = [name for name, is_outside in zip(names, outside, strict=True) if not is_outside]
        if chemical_types(bare):
            return [(OUTSIDE, "") if name.upper() in _OUTSIDE else (INSIDE, name) for name in names]
    parsed: list[tuple[int, str]] = []
    for name, is_outside in zip(names, outside, strict=True):
        match = _LABEL.fullmatch(name)
        if match is None and not is_outside:
            raise ConfigurationError(
                f"the label {name!r} does not have the form O, B-TYPE, I-TYPE (BIO, BIOES or BILOU); "
                "name all labels in this form, in their order, with ",
                Argument("labels", _EXAMPLE if len(names) > 2 else _PAIR),
            )
        parsed.append((OUTSIDE, "") if match is None else (_LETTERS[match[1]], match[2] or ""))
    return parsed


def label_set(config: Mapping[str, Any], given: Sequence[str]) -> LabelSet:
    """The labels of a model, by its config.json. `given`: names that replace them (empty: none).

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


@cache
def legal(scheme: Scheme) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """The legal transitions: (between words, inside a word, at the start, at the end).

    The first two are roles x roles (before, after). No mention may begin or end inside a word.
    """
    size = scheme.size
    between = np.zeros((size, size), dtype=bool)
    inside = np.zeros((size, size), dtype=bool)
    inside[OUTSIDE, OUTSIDE] = True
    end = np.ones(size, dtype=bool)
    if scheme is Scheme.BIO:
        between[:] = True
        between[OUTSIDE, INSIDE] = False
        inside[[BEGIN, INSIDE], INSIDE] = True
    else:
        for role in (OUTSIDE, LAST, UNIT):
            between[role, [OUTSIDE, BEGIN, UNIT]] = True
        for role in (BEGIN, INSIDE):
            between[role, [INSIDE, LAST]] = True
            inside[role, [INSIDE, LAST]] = True
        end[[BEGIN, INSIDE]] = False
    return between, inside, between[OUTSIDE].copy(), end


def roles_of_spans(spans: Sequence[PieceSpan], length: int) -> NDArray[np.int64]:
    """The BIO roles of `length` pieces with the mentions `spans`. Of overlapping mentions the first one counts."""
    roles = np.zeros(length, dtype=np.int64)
    for first, last in spans:
        if roles[first:last].any():
            continue
        roles[first:last] = INSIDE
        roles[first] = BEGIN
    return roles


def spans_of_roles(roles: NDArray[np.int64] | Sequence[int]) -> list[PieceSpan]:
    """The mentions of a legal sequence of roles, from left to right."""
    spans: list[PieceSpan] = []
    begun: int | None = None
    for position, role in enumerate([*map(int, roles), OUTSIDE]):
        if role in (INSIDE, LAST):
            continue
        if begun is not None:
            spans.append((begun, position))
        begun = position if role in (BEGIN, UNIT) else None
    return spans
