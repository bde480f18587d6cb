"""Neighbours of a command: files of the user at its places, and the same command at the same time.

The cases are generated from the durable events of a drill (`durable_events`): each place that the command makes,
changes or removes. The names that a command chooses at random are left out, and so are the records of nlmchem. Names
that programs often give to temporary files beside an output are added.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from disturbances import MINE, Ready, content, difference, is_one_sentence
from durable_events import Act, Ended, Event, in_child, watch

__all__ = ["MINE", "OVERWRITES", "places_of", "share_everywhere", "work_together"]

_NOT_OF_USERS = re.compile(
    r"(^|/)(\..*\.[0-9a-f]{8}\.(tmp|partial)|\.nlmchem[^/]*|[^/]*\.nlmchem-lock|\.lock|\.checked-[^/]*|error\.json"
    r"|record\.json|written-files|checkpoints|.*\.part\.tag)(/|$)",
    re.DOTALL,
)
"""Temporary names with a random part, locks and records: nobody else has a reason to use them."""
BESIDE = (
    "{name}.part", "{name}.partial", "{name}.old", "{name}.tmp", "{name}.bak", "{name}~", ".{name}.part",
    ".{name}.partial", ".{name}.old", ".{name}.tmp", ".{name}.run", ".{name}.checkpoint", "{stem}.checkpoint",
)  # fmt: skip
ENDLESS = 120
"""Seconds after which a command counts as endless."""
OVERWRITES = ("lexicon unpacking", "annotate into one file")
"""Drills that write over a file at their place. The cache has the content that its name states; a run into one file is
checked by the command, which `annotate into a file` runs."""


def places_of(ready: Ready) -> dict[Path, int]:
    """The places that a command changes, each with the number of its first event there."""
    seen = ready.place.root / "places.txt"
    work = ready.place.root / "work"
    ready.place.restore()
    lines: list[str] = []

    def note(event: Event) -> None:
        lines.append("\x1e".join((event.where, event.to)).replace("\n", ""))

    def run() -> None:
        watch(ready.place.root, note)
        ready.drill.command(ready.place)
        seen.write_text("\n".join(list(lines)))

    in_child(run)
    places: dict[Path, int] = {}
    for number, line in enumerate(seen.read_text().split("\n")):
        for path in filter(None, line.split("\x1e")):
            place = Path(path)
            if place.is_relative_to(work) and place != work and not _NOT_OF_USERS.search(str(place.relative_to(work))):
                places.setdefault(place, number)
    outputs = {work / place.relative_to(work).parts[0] for place in places}
    for output in sorted(outputs):
        for name in BESIDE:
            places.setdefault(output.with_name(name.format(name=output.name, stem=output.stem)), 0)
    return places


def share_everywhere(ready: Ready, step: int = 1, first: int = 0) -> tuple[int, list[str]]:
    """Put a file of the user at each place, before the command and in the middle of it. Returns cases, differences.

    The file must have its content afterwards, at its place or under another name, and the command must end, well or
    with one sentence.
    """
    cases = [case for place, number in sorted(places_of(ready).items()) for case in _cases(place, number)]
    differences = []
    for place, inside, event in cases[first::step]:
        if why := _shared(ready, place, inside, event):
            when = "before the command" if event is None else f"at event {event}"
            what = "a folder with a file" if inside else "a file"
            where = place.relative_to(ready.place.root / "work")
            differences.append(f"{ready.drill.name}: {what} of the user at {where} {when}: {why}")
    return len(cases[first::step]), differences


def _cases(place: Path, number: int) -> Iterator[tuple[Path, bool, int | None]]:
    yield place, False, None
    yield place, True, None
    if number > 1 and place.suffix != ".part":
        yield place, False, number // 2


def _shared(ready: Ready, place: Path, inside: bool, event: int | None) -> str:
    ready.place.restore()
    mine = place / "mine" if inside else place
    if event is None and not _put(mine):
        return ""
    left = -1 if event is None else event

    def act(_event: Event) -> None:
        nonlocal left
        left -= 1
        if left == -1:
            # The command may have made a folder at this place.
            _put(mine)

    ended = in_child(lambda: _limited(ready, act))
    if why := _bad_end(ended):
        return why
    there = any(path.is_file() and path.read_bytes() == MINE for path in (ready.place.root / "work").rglob("*"))
    was_put = event is None or "put" in (ready.place.root / "put").read_text()
    return "" if there or not was_put else "it is lost"


def _put(mine: Path) -> bool:
    """Write the file of the user, also over one of ours. False: a folder is there, or a file in place of a folder."""
    note = next(folder for folder in mine.parents if folder.name == "work").with_name("put")
    note.write_text("")
    if mine.is_dir() or any(folder.is_file() for folder in mine.parents):
        return False
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_bytes(MINE)
    note.write_text("put")
    return True


def _limited(ready: Ready, act: Act) -> object:
    signal.alarm(ENDLESS)
    watch(ready.place.root, act)
    return ready.drill.command(ready.place)


def _bad_end(ended: Ended) -> str:
    if ended.signal == signal.SIGALRM:
        return "the command does not end"
    if ended.signal or not is_one_sentence(ended):
        return f"the command ended with {ended.error} {ended.sentence!r} {ended.signal or ''}"
    return ""


# -- two at once --------------------------------------------------------------------------------


def work_together(ready: Ready, step: int = 1, first: int = 0) -> tuple[int, list[str]]:
    """Stop a command before every `step`-th event, run the same command, and let the first one go on.

    One of them may be refused, in one sentence. The files must be those of an undisturbed command.
    """
    number = max(places_of(ready).values(), default=0) + 1
    cases = range(first % step, number, step)
    differences = []
    for case in cases:
        if why := _together(ready, case):
            differences.append(f"{ready.drill.name}, a second command at event {case}: {why}")
    return len(cases), differences


def _together(ready: Ready, number: int) -> str:
    ready.place.restore()
    (paused, pause), (going, go) = os.pipe(), os.pipe()
    left = number

    def stop() -> None:
        os.write(pause, b".")
        os.read(going, 1)

    def act(_event: Event) -> None:
        nonlocal left
        left -= 1
        if left == -1:
            stop()

    def one() -> None:
        _limited(ready, act)
        if left >= 0:
            stop()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(in_child, one)
        os.read(paused, 1)
        second = in_child(lambda: _limited(ready, lambda event: None))
        os.write(go, b".")
        ends = [first.result(), second]
    for descriptor in (paused, pause, going, go):
        os.close(descriptor)
    if why := next(filter(None, map(_bad_end, ends)), ""):
        return why
    if all(end.error for end in ends):
        after = in_child(lambda: ready.drill.continued(ready.place))
        why = difference(ready, after)
        return why and f"both were refused ({ends[0].sentence}; {ends[1].sentence}), and then {why}"
    found = content(ready.place)
    if found not in ready.right:
        right = ready.right[0]
        names = sorted(name for name in found.keys() | right.keys() if found.get(name) != right.get(name))
        return f"other content in {', '.join(names)}"
    return ""
