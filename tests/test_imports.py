"""Which package and which room may import which, and which file may spell an infon key (DESIGN.md, section 2)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from benchmarks.release.rooms import graph, heights
from nlmchem.commands.registry import PLACES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
MAY_IMPORT = {
    "corpora": {"corpora"},
    "sieves": {"corpora", "sieves"},
    "indexing": {"corpora", "indexing"},
    "ensemble": {"corpora", "ensemble"},
    "nlmchem": set(PACKAGES),
}
HEAVY = {"torch", "transformers", "sklearn"}
"""What costs seconds and hundreds of megabytes to import."""

OWN_KEYS = {"identifier", "sieve", "matched_name", "annotator", "entry_term", "strategy"}
"""Infon keys that this project gives a meaning to; only the files of the typed view spell them."""

MAY_SPELL = {
    "corpora/model/document.py": OWN_KEYS,
    # Headings of NLM have the keys of index terms, with another type.
    "corpora/model/metadata.py": {"identifier", "entry_term"},
    # Inferred long forms have the keys of definitions, but no relation.
    "corpora/model/short_forms.py": {"strategy"},
    # PubTator's columns and a table's have these names by themselves: see docs/reference/pubtator.md.
    "corpora/formats/pubtator_writer.py": {"identifier"},
    "corpora/formats/columns.py": {"identifier", "entry_term"},
}


def sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """The full names of the modules that a piece of source imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield str(node.module), node
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def at_import(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported when the module is: not those in functions, nor for type checkers."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (name for name, _ in imported(node))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            pending += ast.iter_child_nodes(node)


def may_be_heavy(path: str) -> bool:
    return (
        path.startswith(("nlmchem/tagging/", "nlmchem/companions/"))
        or path.startswith("sieves/dense")
        # Whether a device is there: taggers and the dense fallback ask it.
        or path == "corpora/extras.py"
        or path.startswith("indexing/learning/")
        or path == "nlmchem/bench/selfcheck.py"
    )


def wrong_imports(path: str, tree: ast.Module) -> list[str]:
    """Imports that do not point down, or of what is heavy where it may not be imported."""
    allowed = MAY_IMPORT[path.partition("/")[0]]
    return [
        f"{path}:{node.lineno} imports {name}"
        for name, node in imported(tree)
        if (top := name.partition(".")[0]) in set(PACKAGES) - allowed or (top in HEAVY and not may_be_heavy(path))
    ]


def test_imports_point_down_only() -> None:
    assert [wrong for path in sources() for wrong in wrong_imports(name_of(path), parsed(path))] == []


COMPANION = "nlmchem.companions"


def companion_of(module: str) -> str | None:
    """The name of the companion that a module belongs to; None for the core."""
    parts = module.split(".")
    return parts[2] if module.startswith(f"{COMPANION}.") and len(parts) > 2 else None


def foreign_companions(path: str, tree: ast.Module) -> list[str]:
    """Imports of companions by the core, and by other companions; and of names of the core that begin with `_`."""
    own = companion_of(path.removesuffix(".py").replace("/", "."))
    return [
        f"{path}:{node.lineno} imports {name}"
        for name, node in imported(tree)
        if companion_of(name) not in (None, own) or (own is not None and companion_of(name) is None and "._" in name)
    ]


def test_the_core_knows_no_companion_and_companions_do_not_know_each_other() -> None:
    assert [wrong for path in sources() for wrong in foreign_companions(name_of(path), parsed(path))] == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("nlmchem/run/plan.py", "from nlmchem.companions.pairs import solver"),
        ("nlmchem/run/plan.py", "from nlmchem.companions import pairs"),
        ("nlmchem/companions/senses/names.py", "import nlmchem.companions.pairs.solver"),
        ("nlmchem/companions/senses/names.py", "from corpora.plugins import _points"),
    ],
)
def test_an_import_of_a_companion_is_found(path: str, line: str) -> None:
    assert foreign_companions(path, ast.parse(line))
    assert not foreign_companions("nlmchem/companions/pairs/names.py", ast.parse("from nlmchem.run.plan import Plan"))


def test_rooms_do_not_import_each_other_in_circles() -> None:
    rooms = graph()
    heights(rooms)
    assert len(rooms) > len(PACKAGES)


def test_a_circle_of_rooms_is_reported_with_its_rooms() -> None:
    circle = {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": frozenset({"a"}), "d": frozenset({"a"})}
    with pytest.raises(ValueError, match="a -> b -> c -> a"):
        heights(circle)


def test_what_the_command_line_loads_is_light() -> None:
    """What the help of each command imports, followed from module to module, stays away from what is heavy."""
    modules = {
        name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in sources()
    }
    commands = [place.partition(":")[0] for place in PLACES.values()]
    pending, seen = ["nlmchem", "nlmchem.cli", "nlmchem.cli.app", *commands], set[str]()
    while pending:
        module = pending.pop()
        if module in seen or module not in modules:
            continue
        seen.add(module)
        pending += [module.rpartition(".")[0]]
        for name in at_import(parsed(modules[module])):
            assert name.partition(".")[0] not in HEAVY | {"numpy"}, f"{module} imports {name} at once"
            pending += [name, name.rpartition(".")[0]]
    assert seen.issuperset(["nlmchem.cli.app", *commands])


def keys_spelled(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """String literals used as keys of something called infons: subscripts, get, pop, `in`, dict literals."""

    def is_infons(node: ast.AST) -> bool:
        return (isinstance(node, ast.Attribute) and node.attr == "infons") or (
            isinstance(node, ast.Name) and node.id == "infons"
        )

    def literals(node: ast.AST | None) -> Iterator[tuple[str, int]]:
        for inner in ast.walk(node) if node is not None else ():
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value, inner.lineno

    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_infons(node.value):
            yield from literals(node.slice)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_infons(node.func.value):
            yield from literals(node.args[0] if node.args else None)
        elif isinstance(node, ast.Compare) and any(map(is_infons, node.comparators)):
            yield from literals(node.left)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Dict):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(map(is_infons, targets)):
                for key in node.value.keys:
                    yield from literals(key)


def test_only_the_typed_view_spells_our_infon_keys() -> None:
    found = [
        f"{name}:{line} spells {key!r}; see corpora/model/document.py"
        for name, path in ((name_of(path), path) for path in sources())
        for key, line in keys_spelled(parsed(path))
        if key in OWN_KEYS - MAY_SPELL.get(name, set())
    ]
    assert found == []


def test_these_tests_can_fail() -> None:
    assert [key for key, _ in keys_spelled(ast.parse("a.infons['sieve']; infons.get('score'); 'x' in m.infons"))] == [
        "sieve",
        "score",
        "x",
    ]
    assert list(at_import(ast.parse("import a\ndef f():\n import b\nif TYPE_CHECKING:\n import c"))) == ["a"]
    assert wrong_imports(
        "indexing/terms/training.py", ast.parse("import numpy\nimport sieves.sieve\nimport torch")
    ) == [
        "indexing/terms/training.py:2 imports sieves.sieve",
        "indexing/terms/training.py:3 imports torch",
    ]
    assert wrong_imports("nlmchem/tagging/x.py", ast.parse("import sieves.sieve, torch")) == []
