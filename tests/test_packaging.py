"""The wheel, the source archive and the container: what they are made of. `make dist` builds and uses them."""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from command_line import invoke

from benchmarks.release import packages

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = ("corpora", "sieves", "indexing", "ensemble", "nlmchem")
COMMANDS_OF_THE_IMAGE = {"chmod", "install", "pip", "python", "test", "useradd"}
"""Commands that `python:3.11-slim` has."""


def tracked() -> list[str]:
    """The files that git tracks; without git the test is skipped."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.strip("\0").split("\0") if (ROOT / name).exists()]


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments; continued lines are joined."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    found = [line.partition(" ") for line in lines.replace("\\\n", " ").splitlines() if line.strip()]
    return [(name, rest.strip()) for name, _, rest in found]


def setup_script() -> ModuleType:
    """`setup.py` as a module; it sets up nothing then."""
    spec = importlib.util.spec_from_file_location("setup_script", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copied() -> list[str]:
    """The paths that the Dockerfile copies from the checkout."""
    parts = (rest.split()[:-1] for name, rest in instructions() if name == "COPY" and "--from=" not in rest)
    return [path for paths in parts for path in paths]


def commands() -> list[list[str]]:
    """The commands that the Dockerfile runs."""
    runs = (rest for name, rest in instructions() if name == "RUN")
    return [shlex.split(command) for rest in runs for command in rest.split("&&")]


# -- editable install ---------------------------------------------------------------------------


def test_an_editable_install_works_in_the_folder_above_a_clone_with_the_name_of_the_package(tmp_path: Path) -> None:
    clone, site = tmp_path / "nlmchem", tmp_path / "site"
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            (clone / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, clone / path.relative_to(ROOT))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, clone)
    build = f"from setuptools import build_meta; build_meta.build_editable({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=clone, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    shutil.unpack_archive(wheel, site, "zip")
    # Without the site packages of these tests, which contain an editable install of their own; only its dependencies.
    code = f"import site; site.addsitedir({str(site)!r}); import nlmchem; nlmchem.load; print(nlmchem.__file__)"
    dependencies = os.pathsep.join(path for path in sys.path if Path(path).name == "site-packages")
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": dependencies},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(clone / "nlmchem" / "__init__.py")


# -- version ------------------------------------------------------------------------------------


def test_the_version_is_stated_in_pyproject_only() -> None:
    stated = PROJECT["project"]["version"]
    assert version("nlmchem") == stated
    assert "version:" not in (ROOT / "CITATION.cff").read_text("utf-8").replace("cff-version:", "")
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            assert not re.search(r'__version__\s*=\s*["\']', path.read_text("utf-8")), path


def test_the_address_of_the_repository_is_one() -> None:
    address = PROJECT["project"]["urls"]["Repository"]
    assert all(url.startswith(address) for url in PROJECT["project"]["urls"].values())
    for name in ("CITATION.cff", "packaging/conda/recipe.yaml", "packaging/biocontainers/Dockerfile"):
        stated = re.findall(r"https://[^\s\"]*/nlmchem(?![\w-])", (ROOT / name).read_text("utf-8"))
        assert {*stated} == {address}, name


# -- description on a package index -------------------------------------------------------------


@pytest.mark.parametrize(("of", "place"), [("0.2.0", "v0.2.0"), ("0.3.0.dev0", "main")])
def test_links_and_pictures_of_the_description_are_at_the_repository(of: str, place: str) -> None:
    page = '[a](docs/a.md#b) ![p](docs/p.png) [c](#c) [d](https://d.org) <img src="docs/e.png"> `[0]` [f](docs/)'
    assert setup_script().absolute(page, "https://h.org/r", of) == (
        f"[a](https://h.org/r/blob/{place}/docs/a.md#b) ![p](https://h.org/r/raw/{place}/docs/p.png) [c](#c) "
        f'[d](https://d.org) <img src="https://h.org/r/raw/{place}/docs/e.png"> `[0]` '
        f"[f](https://h.org/r/blob/{place}/docs/)"
    )


def test_the_readme_has_only_links_that_the_description_makes_absolute() -> None:
    text = setup_script().absolute((ROOT / "README.md").read_text("utf-8"), "https://h.org/r", "0.2.0")
    links = re.findall(r"\]\(([^)\s]+)|(?:src|srcset|href)=\"([^\"]+)", text)
    targets = [first or second for first, second in links]
    assert len(targets) > 20
    assert [target for target in targets if not re.match(r"https?://|#", target)] == []
    ours = [re.sub(r"^https://h.org/r/(raw|blob)/v0.2.0/|#.*", "", target) for target in targets if "h.org" in target]
    assert [path for path in ours if not (ROOT / path).exists()] == []


# -- wheel and source archive -------------------------------------------------------------------


def test_the_wheel_contains_all_files_of_the_packages() -> None:
    """Files that are not Python need a pattern in `package-data`."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    for name in tracked():
        path = Path(name)
        if path.parts[0] not in PACKAGES or path.suffix == ".py":
            continue
        package = max((p for p in path.parents if (ROOT / p / "__init__.py").exists()), key=lambda p: len(p.parts))
        inside = path.relative_to(package).as_posix()
        own = patterns.get(".".join(package.parts), [])
        below = inside if "/" in inside else path.name
        assert any(fnmatch.fnmatch(below, pattern) for pattern in (*own, *patterns["*"])), f"{name} is not packaged"


def test_the_source_archive_contains_the_whole_project() -> None:
    manifest = (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()
    words = [line.split() for line in manifest if line and not line.startswith("#")]
    files = {name for head, *names in words if head == "include" for name in names}
    folders = {name for head, *names in words if head == "graft" for name in names}
    # setuptools adds these, and the packages.
    files |= {"README.md", "LICENSE", "NOTICE", "pyproject.toml", "setup.py", "MANIFEST.in", ".gitignore"}
    for name in tracked():
        assert name in files or name.partition("/")[0] in folders | set(PACKAGES), f"{name} is not in the archive"


def test_the_check_of_packages_finds_missing_files(tmp_path: Path) -> None:
    wheel = tmp_path / "x.whl"
    shutil.make_archive(str(tmp_path / "x"), "zip", ROOT / "nlmchem" / "report", "templates")
    (tmp_path / "x.zip").rename(wheel)
    assert packages.missing(wheel, ["nlmchem/py.typed", "docs/README.md"]) == ["nlmchem/py.typed"]


# -- container ----------------------------------------------------------------------------------


def test_the_container_installs_the_wheel_of_make_dist() -> None:
    assert copied() == ["constraints.txt", "dist/nlmchem-*.whl", "examples"]
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert kept == {"constraints.txt", "dist/*.whl", "examples"}
    assert packages.ROOT / "dist" == ROOT / "dist", "where `make dist` writes the wheel"
    assert re.search(r"^torch==", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_the_container_has_a_pinned_light_base_and_what_was_built_in_another_stage() -> None:
    stages = [rest.split() for name, rest in instructions() if name == "FROM"]
    assert [stage[1:] for stage in stages] == [["AS", "build"], []]
    assert stages[0][0] == stages[1][0], "the packages of one Python do not work with another"
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", stages[0][0])
    last = [name for name, _ in instructions()[::-1]]
    final = [rest for name, rest in instructions()[-last.index("FROM") :] if name == "COPY"]
    assert final
    assert all(rest.startswith("--from=build ") for rest in final)
    of_biocontainers = (ROOT / "packaging" / "biocontainers" / "Dockerfile").read_text("utf-8")
    assert re.findall(r"^FROM (\S+)$", of_biocontainers, re.MULTILINE) == [stages[0][0]]
    assert f'base_image="{stages[0][0]}"' in of_biocontainers


def test_the_container_runs_as_a_user_without_rights() -> None:
    """The run that checks the image has the same user, and the user is a number, so that it needs no table of names."""
    users = [rest for name, rest in instructions() if name == "USER"]
    assert users == ["10001", "10001"]
    order = [name for name, rest in instructions() if name in ("FROM", "USER") or "nlmchem annotate" in rest]
    assert order == ["FROM", "USER", "RUN", "FROM", "USER"]


def test_the_commands_of_the_container_exist() -> None:
    own = [command for command in commands() if command[0] == "nlmchem"]
    assert {command[0] for command in commands()} <= COMMANDS_OF_THE_IMAGE | {"nlmchem"}
    assert own
    for command in own:
        shown = invoke([command[1], "--help"])
        assert shown.exit_code == 0
        for option in (word for word in command if word.startswith("-")):
            assert re.search(rf"(?<!\S){option}\b", shown.output), f"{command[1]} has no option {option}"
    rest = dict(instructions())
    assert rest["ENTRYPOINT"] == '["nlmchem"]'
    assert "nlmchem" in PROJECT["project"]["scripts"]


# -- recipe and workflows -----------------------------------------------------------------------


def test_the_recipe_of_conda_needs_what_the_package_needs() -> None:
    """On conda-forge, bioc has the name python-bioc."""
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    needed = re.findall(r"^    - (.+)$", recipe.partition("\n  run:\n")[2].partition("\ntests:")[0], re.MULTILINE)
    wanted = ["python", *PROJECT["project"]["dependencies"]]
    assert [line.removeprefix("python-").replace(" ", "") for line in needed] == wanted


def test_actions_are_pinned_by_hash_with_their_version() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for path in workflows for line in re.findall(r"uses: (.*)", path.read_text("utf-8"))]
    assert len(used) > 5
    assert [line for line in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []
    assert len({*used}) == len({line.partition("@")[0] for line in used}), "one version of each action"
