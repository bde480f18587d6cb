"""Plugins: entries that installed packages add to the registries of this project by entry points.

A registry is a group of entry points (docs/reference/plugins.md has all of them). The name of the entry point is the
name of the entry. examples/plugin is a package with plugins. The companions (`nlmchem/companions`) come with this
project and add to it by the same entry points: its core does not import them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from corpora.errors import ConfigurationError, NlmchemError, ResourceError, shortened
from corpora.reporting import log

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_PREFIX = "nlmchem."
_PROJECT = "nlmchem"
"""The package of this project. Its entry points are those of the companions."""
_OURS = ("corpora", "ensemble", "indexing", "nlmchem", "sieves")
"""Our own packages, which register entries as other packages do."""


class Registry(Generic[T]):
    """Entries by name: first the built-in entries, then the companions, then the plugins, each sorted by name.

    The names of plugins are read when they are first needed, and a plugin is imported when its entry is first needed.
    """

    __slots__ = ("_loaded", "_plugins", "blank", "built_in", "group", "kinds", "reserved")

    def __init__(
        self,
        group: str,
        kind: type[T] | tuple[type, ...],
        built_in: Mapping[str, T],
        reserved: Collection[str] = frozenset(),
        blank: str = "",
    ) -> None:
        """`group`: the group of entry points. `kind`: the class of the entries, or the classes that they may have.

        `reserved`: names that no companion or plugin may have. `blank`: what names of entry points have for a blank.
        """
        self.group = group
        self.kinds: tuple[type, ...] = kind if isinstance(kind, tuple) else (kind,)
        self.built_in = built_in
        self.reserved = reserved
        self.blank = blank
        self._loaded: dict[str, T] = {}
        self._plugins: dict[str, EntryPoint] | None = None

    def names(self) -> tuple[str, ...]:
        """All names. No plugin is imported."""
        return tuple(dict.fromkeys((*self.built_in, *self._checked())))

    def get(self, name: str) -> T | None:
        """The entry with a name; None for an unknown name.

        Raises `ConfigurationError` for a plugin that cannot be imported or is no entry. One whose name is taken is left
        out, with a warning: a package must not stop commands that do not use it.
        """
        plugin = self._checked().get(name)
        if plugin is None:
            return self.built_in.get(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(plugin)
        return self._loaded[name]

    def named(self, name: str, what: str) -> T:
        """As `get`. Raises `ConfigurationError` also for an unknown name; `what` is the word for an entry."""
        entry = self.get(name)
        if entry is None:
            raise ConfigurationError(f"unknown {what} {name!r}; choose one of {', '.join(self.names())}")
        return entry

    def items(self) -> Iterator[tuple[str, T]]:
        """All names with their entries. Imports all plugins of the group, and raises as `get` does."""
        for name in self.names():
            entry = self.get(name)
            assert entry is not None
            yield name, entry

    def _found(self) -> Iterator[EntryPoint]:
        return (point for point in _points() if point.group == self.group)

    def _name(self, point: EntryPoint) -> str:
        return point.name.replace(self.blank, " ") if self.blank else point.name

    def unusable(self, name: str, reason: str) -> ConfigurationError:
        """The error for a plugin of this name that its registry refuses for a reason of its own."""
        return _unusable(self._checked()[name], reason)

    def _checked(self) -> dict[str, EntryPoint]:
        if self._plugins is None:
            points: dict[str, EntryPoint] = {}
            for point in self._found():
                name = self._name(point)
                other = points.get(name)
                if name in self.built_in or name in self.reserved or (other and _package(other) == _PROJECT):
                    _leave_out(point, f"the name {name!r} is one of nlmchem itself")
                elif other:
                    _leave_out(point, f"the package {_package(other)} has an entry point of this name, which is used")
                else:
                    points[name] = point
            self._plugins = points
        return self._plugins

    def _load(self, point: EntryPoint) -> T:
        try:
            entry: Any = point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _unusable(point, f"{type(error).__name__}: {error}") from error
        if not isinstance(entry, self.kinds):
            wanted = " or a ".join(kind.__name__ for kind in self.kinds)
            raise _unusable(point, f"it is a {type(entry).__name__}, not a {wanted}")
        loaded = cast(T, entry)
        if getattr(loaded, "name", self._name(point)) != self._name(point):
            raise _unusable(point, f"it has the name {getattr(loaded, 'name', None)!r}")
        return loaded


def version_of(package: str) -> str | None:
    """The version of a package as it is installed; None if it is not.

    A copy of the source of this project has no installed version: that of its `pyproject.toml` counts.
    """
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        if package != _PROJECT:
            return None
    import tomllib

    try:
        with (Path(__file__).parents[1] / "pyproject.toml").open("rb") as stream:
            return str(tomllib.load(stream)["project"]["version"])
    except (OSError, ValueError, KeyError):
        return "unknown"


def project_version() -> str:
    return version_of(_PROJECT) or "unknown"


def versions() -> dict[str, str]:
    """The versions of the installed packages with plugins, by package, without this project. No plugin is imported."""
    by_package: dict[str, str] = {}
    for point in _points():
        if point.dist is not None and _package(point) != _PROJECT:
            by_package.setdefault(point.dist.name, point.dist.version)
    return dict(sorted(by_package.items()))


def raised_by(error: BaseException) -> str | None:
    """The package with plugins whose code raised an error; None if it was no plugin."""
    packages = _packages()
    causes = [error]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    frames = (frame for cause in causes for frame, _ in reversed(list(walk_tb(cause.__traceback__))))
    tops = ((frame.f_globals.get("__name__") or "").partition(".")[0] for frame in frames)
    return next((packages[top] for top in tops if top in packages and top not in _OURS), None)


def unexpected(error: BaseException) -> str:
    """The sentence for an error that only a defect explains: of a package with plugins, or of this program.

    It ends with `report it`, so that a place can follow: `with the article`.
    """
    # On one line, also where its message has several.
    said = shortened(" ".join(str(error).split()), 300)
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    package = raised_by(error)
    return (
        f"unexpected {what}; please report it"
        if package is None
        else (f"the package {package} raised {what}; report it to the authors of {package}")
    )


def returned(value: Any, kind: type[T], function: Callable[..., Any]) -> T:
    """What a function of an entry has returned. Raises `ResourceError` with its package for a value of another kind."""
    if isinstance(value, kind):
        return value
    module = str(getattr(function, "__module__", ""))
    package = _packages().get(module.partition(".")[0], module)
    name = f"{module}.{getattr(function, '__qualname__', '')}"
    raise ResourceError(
        f"the package {package} cannot be used: {name} must return a value of type {kind.__name__}, and returned "
        f"{type(value).__name__}; report it to the authors of {package}"
    )


def _packages() -> dict[str, str]:
    """The packages with plugins by the first part of the names of their modules."""
    return {point.module.partition(".")[0]: _package(point) for point in _points()}


@contextmanager
def named() -> Iterator[None]:
    """Report an error of a plugin, also `SystemExit`, in one sentence with its package. Raises `ResourceError`."""
    try:
        yield
    except (NlmchemError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, Exception) and raised_by(error) is None:
            raise
        raise ResourceError(unexpected(error)) from error


@cache
def _points() -> tuple[EntryPoint, ...]:
    """The entry points of companions and plugins. They are read once in a process: every package has a file of them."""
    from importlib.metadata import Distribution, distributions

    packages: dict[str, Distribution] = {}
    for package in distributions():
        # Only the files of packages with plugins, and of this one, are parsed: this runs at each start.
        if _PROJECT in (package.read_text("entry_points.txt") or ""):
            # A package can be on the path twice, for example installed and as a clone: the first one is imported.
            packages.setdefault(package.name, package)
    every = (point for package in packages.values() for point in package.entry_points)
    plugins = (point for point in every if point.group.startswith(_PREFIX))
    return tuple(
        sorted(plugins, key=lambda point: (point.group, _package(point) != _PROJECT, point.name, _package(point)))
    )


def _package(point: EntryPoint) -> str:
    return "?" if point.dist is None else point.dist.name


def _leave_out(point: EntryPoint, reason: str) -> None:
    """Report a plugin that is not used. The workers of a run have the plugins of its main process."""
    from multiprocessing import parent_process

    if parent_process() is None:
        log(f"{_unusable(point, reason)}; it is left out")


def _unusable(point: EntryPoint, reason: str) -> ConfigurationError:
    package = _package(point)
    remedy = "install nlmchem again" if package == _PROJECT else "install a version of it that fits, or uninstall it"
    return ConfigurationError(
        f"the package {package} has a plugin that cannot be used ({point.group}: {point.name} = {point.value}; "
        f"{reason}); {remedy}"
    )
