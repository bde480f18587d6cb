"""Checks that a release can be made, sets its tag, and writes its files: checksums, contents, components.

    make release VERSION=0.2.0

`python -m benchmarks.release.release VERSION --check` checks that the project is ready: the version and the address of
the repository are those in pyproject.toml, CHANGELOG.md has a section with a date, all is committed, and the tag is
free. `--tag` sets the tag. `--files` writes the files beside the source archive of `make dist` and the wheels of
cibuildwheel (.github/workflows/release.yml), and needs the extra `release`. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.release.packages import ROOT, run

LONGEST_CHANGELOG = 40


def problems(root: Path, version: str, changed: str, tags: set[str], remote: str) -> Iterator[str]:
    """What prevents a release, one sentence each.

    `changed`: what `git status --porcelain` prints. `remote`: the address of the repository that git pushes to.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    stated, address = project["version"], project["urls"]["Repository"]
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        yield f"{version!r} is not a version; write it as 0.2.0 or 0.2.0rc1"
    if stated != version:
        yield f"pyproject.toml has the version {stated}, not {version}; change it there"
    if re.sub(r"^(ssh://)?git@([^:/]+)[:/]", r"https://\2/", remote.strip()).removesuffix(".git") != address:
        yield f"pyproject.toml has the repository {address}, and git pushes to {remote.strip()!r}; make them one"
    section = section_of((root / "CHANGELOG.md").read_text("utf-8"), version)
    if section is None:
        yield f"CHANGELOG.md has no section '## [{version}] - DATE'; rename the section 'Unreleased'"
    elif len(section) > LONGEST_CHANGELOG:
        yield (
            f"the section {version} of CHANGELOG.md has {len(section)} lines, {LONGEST_CHANGELOG} are allowed; "
            "keep what a user gains or must change"
        )
    if changed.strip():
        names = [line.split(maxsplit=1)[-1] for line in changed.splitlines()]
        yield f"changes in {len(names)} file(s) are not committed (the first: {names[0]}); commit or remove them"
    if f"v{version}" in tags:
        yield f"the tag v{version} exists already; a release is never changed, so choose the next version"


def section_of(changelog: str, version: str) -> list[str] | None:
    """The lines with text of the section of a version, whose heading has a date; None if there is no such section."""
    for part in re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]:
        heading, *lines = part.splitlines()
        if re.fullmatch(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heading):
            return [line for line in lines if line.strip()]
    return None


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def contents(wheel: Path) -> Iterator[str]:
    """The files of a wheel, sorted: sha256, size in bytes, name."""
    with zipfile.ZipFile(wheel) as archive:
        for info in sorted(archive.infolist(), key=lambda info: info.filename):
            yield f"{hashlib.sha256(archive.read(info)).hexdigest()}\t{info.file_size}\t{info.filename}"


def required(name: str) -> set[str]:
    """The packages that an installation of a package without extras has, by their normalized names."""
    packages: set[str] = set()
    waiting = [(name, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        package, extras = waiting.pop()
        packages.add(canonicalize_name(package))
        for line in requires(package) or ():
            wanted = Requirement(line)
            if wanted.marker and not any(wanted.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                continue
            item = (wanted.name, frozenset(wanted.extras))
            if item not in seen:
                seen.add(item)
                waiting.append(item)
    return packages


def components(bom: dict[str, Any], names: set[str]) -> dict[str, Any]:
    """A list of components (CycloneDX) with the named packages only."""
    kept = [component for component in bom["components"] if canonicalize_name(component["name"]) in names]
    places = {component["bom-ref"] for component in kept} | {bom["metadata"].get("component", {}).get("bom-ref")}
    dependencies = [dict(entry) for entry in bom.get("dependencies", []) if entry["ref"] in places]
    for entry in dependencies:
        if "dependsOn" in entry:
            entry["dependsOn"] = [ref for ref in entry["dependsOn"] if ref in places]
    return {**bom, "components": kept, "dependencies": dependencies}


def write_files(out: Path, version: str) -> list[Path]:
    """Write contents, components and checksums beside the wheels and the source archive of this version.

    A package index takes no `linux_x86_64` wheel, as `make dist` writes it: it runs where it was built.
    """
    wheels = [path for path in sorted(out.glob(f"nlmchem-{version}-*.whl")) if "-linux_" not in path.name]
    archives = sorted(out.glob(f"nlmchem-{version}.tar.gz"))
    if not wheels or not archives:
        sys.exit(f"{out} has no source archive of {version} (`make dist`), or no wheels of it by cibuildwheel")
    listed, bom = out / f"nlmchem-{version}-contents.tsv", out / f"nlmchem-{version}.cdx.json"
    rows = (f"{wheel.name}\t{row}\n" for wheel in wheels for row in contents(wheel))
    listed.write_text("wheel\tsha256\tbytes\tfile\n" + "".join(rows), encoding="utf-8")
    options = ("--pyproject", "pyproject.toml", "--output-reproducible", "--of", "JSON", "--sv", "1.6", "-o", "-")
    full = json.loads(run(sys.executable, "-m", "cyclonedx_py", "environment", *options, cwd=ROOT))
    # The environment also has what the tests need; a user's installation does not.
    kept = components(full, required("nlmchem") - {"nlmchem"})
    bom.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    made = [*wheels, *archives, listed, bom]
    sums = out / "SHA256SUMS"
    sums.write_text("".join(f"{sha256(path)}  {path.name}\n" for path in made), encoding="utf-8")
    return [*made, sums]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", help="version, for example 0.2.0; `-`: the version in pyproject.toml")
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "dist")
    task = parser.add_mutually_exclusive_group(required=True)
    for name in ("--check", "--files", "--tag"):
        task.add_argument(name, action="store_true")
    given = parser.parse_args()
    version = given.version
    if version == "-":
        version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if given.files:
        for path in write_files(given.out, version):
            print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
        return
    changed, tags = run("git", "status", "--porcelain", cwd=ROOT), set(run("git", "tag", cwd=ROOT).split())
    remote = run("git", "remote", "get-url", "--push", "origin", cwd=ROOT)
    if faults := list(problems(ROOT, version, changed, tags, remote)):
        sys.exit("\n".join(faults))
    if given.tag:
        run("git", "tag", "--annotate", f"v{version}", "--message", f"nlmchem {version}", cwd=ROOT)
        print(f"set the tag v{version}; nothing was uploaded")


if __name__ == "__main__":
    main()
