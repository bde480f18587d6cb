"""The rooms of the house and the imports between them: checks that there are no circles, and prints them.

    python -m benchmarks.release.rooms

A room is a folder of modules, or a module that stands beside folders. Imports inside functions count; imports for type
checkers do too. Rooms are printed by height: each stands above all rooms that it imports. An import that follows from
two others is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
NESTED = ("nlmchem.tagging", "nlmchem.abbreviations", "nlmchem.companions", "nlmchem.report", "corpora.formats")
"""Packages whose folders are rooms of their own."""

Graph = Mapping[str, frozenset[str]]


def modules(root: Path = ROOT) -> dict[str, Path]:
    """Full module names and their files; a package has the name of its folder."""
    paths = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def imported(tree: ast.AST, known: Mapping[str, object]) -> Iterator[str]:
    """The names of our modules that a piece of source imports, anywhere in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else str(node.module) for name in inner]
        else:
            continue
        yield from (name for name in names if name in known)


def room_of(module: str, packages: frozenset[str]) -> str:
    """The room of a module: `corpora.model` for `corpora.model.document`, `sieves.cascade` for itself.

    `packages` are the names of modules that are folders. The small packages `indexing` and `ensemble` are one room
    each; a folder inside `indexing` is another.
    """
    parts = module.split(".")
    depth = 3 if ".".join(parts[:2]) in NESTED else 2
    room = ".".join(parts[:depth])
    flat = parts[0] in ("indexing", "ensemble") or ".".join(parts[:2]) == "corpora.formats"
    return room if room in packages or not flat else room.rpartition(".")[0]


def graph(root: Path = ROOT) -> dict[str, frozenset[str]]:
    """Each room with the rooms that it imports. Package files (`__init__`) re-export, so they do not count."""
    paths = modules(root)
    packages = frozenset(name for name, path in paths.items() if path.name == "__init__.py")
    rooms: dict[str, set[str]] = {}
    for module, path in paths.items():
        if module in packages:
            continue
        room = room_of(module, packages)
        below = {
            room_of(name, packages)
            for name in imported(ast.parse(path.read_text("utf-8")), paths)
            if name not in PACKAGES
        }
        rooms.setdefault(room, set()).update(below - {room})
    return {room: frozenset(below & rooms.keys()) for room, below in rooms.items()}


def heights(rooms: Graph) -> dict[str, int]:
    """How many rooms stand below each, one on the other. Raises `ValueError` with the rooms of a circle."""
    known: dict[str, int] = {}

    def height(room: str, path: tuple[str, ...]) -> int:
        if room in path:
            raise ValueError(f"rooms import each other: {' -> '.join((*path[path.index(room) :], room))}")
        if room not in known:
            known[room] = max((height(below, (*path, room)) + 1 for below in sorted(rooms[room])), default=0)
        return known[room]

    for room in sorted(rooms):
        height(room, ())
    return known


def reduced(rooms: Graph) -> dict[str, frozenset[str]]:
    """The graph without the edges that follow from others."""

    height = heights(rooms)
    reach: dict[str, set[str]] = {}
    for room in sorted(rooms, key=height.__getitem__):
        reach[room] = {far for below in rooms[room] for far in (below, *reach[below])}
    return {
        room: frozenset(lower for lower in below if not any(lower in reach[other] for other in below))
        for room, below in rooms.items()
    }


def main() -> None:
    rooms = graph()
    height = heights(rooms)
    for room in sorted(rooms, key=lambda room: (height[room], room)):
        print(f"{height[room]:2} {room} -> {', '.join(sorted(reduced(rooms)[room])) or '-'}")
    print(f"{len(rooms)} rooms, {sum(map(len, rooms.values()))} imports between them, no circle, no arrow upwards")


if __name__ == "__main__":
    main()
