"""The strategies of Ab3P: the alignments of a short form with a window that each of them accepts.

Source: Sohn, Comeau, Kim, Wilbur 2008, BMC Bioinformatics 9:402, "Strategies" and table of pseudo-precisions
(values of the published data of the program). Alignments are tried from right to left, nearest first, and the first
one that satisfies a strategy is used.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Strategy:
    """The conditions for an alignment.

    `gap`: the maximum number of skipped tokens between hits, and after the last hit. `widest`: there is a gap of this
    many tokens. `starts`: all hits are start hits. `stops`: skipped tokens are stop words. `words`: the rest of a token
    from a hit inside it is a known word. `begun`: tokens with hits have start hits. `behind_mark`: a start hit follows
    punctuation. `inside`: a hit is inside a word. `touching`: two hits are adjacent.
    """

    name: str
    gap: int = 0
    widest: int = 0
    starts: bool = False
    stops: bool = False
    words: bool = False
    begun: bool = False
    behind_mark: bool = False
    inside: bool = False
    touching: bool = False


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy("FirstLetGen", starts=True, behind_mark=True),
        Strategy("FirstLetGen2", starts=True),
        Strategy("FirstLetGenStp", gap=1, widest=1, starts=True, stops=True),
        Strategy("FirstLetGenStp2", gap=2, widest=2, starts=True, stops=True),
        Strategy("FirstLetGenSkp", gap=1, widest=1, starts=True),
        Strategy("WithinWrdWrd", words=True, inside=True),
        Strategy("WithinWrdFWrd", words=True, begun=True, inside=True),
        Strategy("WithinWrdFWrdSkp", gap=1, widest=1, words=True, begun=True, inside=True),
        Strategy("WithinWrdLet", inside=True),
        Strategy("WithinWrdFLet", begun=True, inside=True),
        Strategy("WithinWrdFLetSkp", gap=1, widest=1, begun=True, inside=True),
        Strategy("ContLet", begun=True, touching=True),
        Strategy("ContLetSkp", gap=1, widest=1, begun=True, touching=True),
        Strategy("AnyLet", gap=1),
        Strategy("FirstLetGenWideStp", gap=3, starts=True, stops=True),
        Strategy("FirstLetGenWide", gap=2, starts=True),
    )
}
