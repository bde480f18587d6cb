"""The best legal sequence of roles for the scores of word pieces (Viterbi).

A sequence is legal if the scheme allows it (no I after O) and no mention begins or ends inside a word. The learned
transitions of a CRF (Lafferty et al. 2001) are added to the scores. Without a CRF, all legal transitions have the same
weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.inference.labels import OUTSIDE, Scheme, legal

FORBIDDEN = -1e4
"""The weight of a transition that is not legal. No sum of scores compensates for it."""

_TINY = 1e-12
_DEAD = -1e300
"""The score of a role that no legal transition reaches."""

Transitions = NDArray[np.float32]
"""Learned weights of a CRF (role before x role after). The role before and after a passage is O."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """Weights of the transition from one piece to the next, between words and inside a word."""

    between: NDArray[np.float64]
    inside: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    def step(self, glued: bool) -> NDArray[np.float64]:
        return self.inside if glued else self.between


def _chain(scheme: Scheme, transitions: Transitions | None) -> _Chain:
    between, inside, start, end = legal(scheme)
    learned = np.zeros(between.shape) if transitions is None else np.asarray(transitions, dtype=np.float64)
    return _Chain(
        np.where(between, learned, FORBIDDEN),
        np.where(inside, learned, FORBIDDEN),
        np.where(start, learned[OUTSIDE], FORBIDDEN),
        np.where(end, learned[:, OUTSIDE], FORBIDDEN),
    )


def best_roles(
    scores: NDArray[np.float32],
    glued: NDArray[np.bool_],
    scheme: Scheme,
    transitions: Transitions | None = None,
) -> NDArray[np.int64]:
    """The best legal roles of a passage's pieces.

    `scores` (pieces x roles): probabilities, or with `transitions` the emissions of a CRF. `glued[i]`: piece i is in
    the word of piece i - 1. Of sequences with equal scores, the one with the lower roles at its end is returned.
    """
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    if transitions is None:
        likely: NDArray[np.int64] = np.argmax(scores, axis=1)
        # With equal weights, the best role of each piece gives the best sequence if this sequence is legal.
        if _is_legal(likely, glued, scheme):
            return likely.astype(np.int64)
        emissions = np.log(np.maximum(scores.astype(np.float64), _TINY))
    else:
        emissions = scores.astype(np.float64)
    return _viterbi(emissions, glued, _chain(scheme, transitions))


def marginals(
    emissions: NDArray[np.float32], glued: NDArray[np.bool_], scheme: Scheme, transitions: Transitions
) -> NDArray[np.float32]:
    """Probabilities of the roles (pieces x roles) under a CRF, over all legal sequences (forward-backward)."""
    length, size = emissions.shape
    if not length:
        return np.zeros((0, size), dtype=np.float32)
    chain = _chain(scheme, transitions)
    scores = emissions.astype(np.float64)
    forward, backward = np.zeros((length, size)), np.zeros((length, size))
    forward[0] = chain.start + scores[0]
    for at in range(1, length):
        forward[at] = scores[at] + _log_sum(forward[at - 1][:, None] + chain.step(bool(glued[at])), 0)
    backward[-1] = chain.end
    for at in range(length - 2, -1, -1):
        backward[at] = _log_sum(chain.step(bool(glued[at + 1])) + (scores[at + 1] + backward[at + 1])[None, :], 1)
    joint = forward + backward
    weights = np.exp(joint - joint.max(axis=1, keepdims=True))
    shares: NDArray[np.float32] = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def _is_legal(roles: NDArray[np.intp], glued: NDArray[np.bool_], scheme: Scheme) -> bool:
    between, inside, start, end = legal(scheme)
    steps = np.where(glued[1:], inside[roles[:-1], roles[1:]], between[roles[:-1], roles[1:]])
    return bool(start[roles[0]] and end[roles[-1]] and steps.all())


def _viterbi(emissions: NDArray[np.float64], glued: NDArray[np.bool_], chain: _Chain) -> NDArray[np.int64]:
    """Plain lists: with three or five roles they are several times as fast as arrays."""
    arrows = (_arrows(chain.between), _arrows(chain.inside))
    rows: list[list[float]] = emissions.tolist()
    best = (chain.start + emissions[0]).tolist()
    came_from: list[list[int]] = []
    for row, inside in zip(rows[1:], glued[1:].tolist(), strict=True):
        following: list[float] = []
        sources: list[int] = []
        for emission, leading in zip(row, arrows[inside], strict=True):
            top, chosen = _DEAD, 0
            for source, weight in leading:
                value = best[source] + weight
                if value > top:
                    top, chosen = value, source
            following.append(top + emission)
            sources.append(chosen)
        best = following
        came_from.append(sources)
    role = int((np.array(best) + chain.end).argmax())
    roles = [role]
    for sources in reversed(came_from):
        role = sources[role]
        roles.append(role)
    return np.array(roles[::-1], dtype=np.int64)


def _arrows(weights: NDArray[np.float64]) -> list[list[tuple[int, float]]]:
    """For each role, the roles that may precede it, with their weights."""
    return [
        [(source, float(weight)) for source, weight in enumerate(column) if weight > FORBIDDEN] for column in weights.T
    ]


def _log_sum(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    top = values.max(axis=axis)
    summed: NDArray[np.float64] = top + np.log(np.exp(values - np.expand_dims(top, axis)).sum(axis=axis))
    return summed
