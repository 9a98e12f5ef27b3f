"""The process that expands a xacro file: its limits, and the expressions and files that it allows.

Expressions of xacro are Python. Each is evaluated only if `PARTS` contains every part of its syntax tree; attributes
become calls of `_attribute`, which checks the type of the value.
"""

import ast
import contextlib
import json
import math
import os
import sys
import xml.dom.expatbuilder
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import xacro
from xacro import substitution_args

from revolute.io.source import LARGEST
from revolute.model.mesh_files import PACKAGE, VARIABLES, package_folder, package_name

PARTS = (
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.unaryop, ast.UnaryOp,
    ast.boolop, ast.BoolOp, ast.cmpop, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Dict,
    ast.Set, ast.comprehension, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""Allowed parts of a syntax tree: no lambda, f-string or assignment is among them."""
FUNCTIONS = """False True abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max
    min ord range repr reversed round set sorted str sum tuple zip math python xacro
    abs_filename arg dotify error fatal load_yaml message print_location tokenize warning"""
"""Allowed names of xacro; the names of the module math are also allowed."""
METHODS = {
    str: """capitalize count endswith find index isalnum isalpha isdigit isspace join lower lstrip partition replace
        removeprefix removesuffix rfind rsplit rstrip split splitlines startswith strip title upper""",
    dict: "copy get items keys values",
    list: "append copy count extend index insert pop",
}
"""Allowed methods by type. Any other attribute of a dictionary is an entry of a YAML file."""


def _refuse(action: str) -> NoReturn:
    raise ValueError(f"{action} is not allowed without trusted=True (in a shell --trusted)")


def main(seconds: int, memory: int) -> None:
    """Expand the file named on the command line, and print the result."""
    _bound_resources(seconds, memory)
    path, (arguments, trusted) = sys.argv[1], json.loads(sys.argv[2])

    def find(package: str) -> str:
        if (folder := package_folder(package, os.path.dirname(path))) is None:
            raise substitution_args.SubstitutionException(f"$(find {package}): there is no such package")
        return str(folder)

    substitution_args._eval_find = find
    if not trusted:
        _restrict(path, arguments)
    try:
        text = xacro.process_file(path, mappings=arguments).toxml()
    except (Exception, SystemExit) as error:  # xacro raises exceptions of any type
        message = " ".join(str(error).split()) or type(error).__name__
        sys.exit("".join(f"in {file}: " for file in xacro.filestack[-1:] if file != path) + message[:1000])
    sys.stdout.buffer.write(text.encode())  # UTF-8, whatever the encoding of the console


def _restrict(path: str, arguments: dict[str, str]) -> None:
    """Make xacro check every expression that it evaluates and every file that it reads."""
    folders = Path(path).parent.resolve(), Path(path).resolve().parent
    variables = {name: os.environ[name] for name in ("ROS_DISTRO", "ROS_VERSION") if name in os.environ} | arguments

    def read(name: str) -> BinaryIO:
        file = Path(name).resolve()
        if not _is_readable(file, folders):
            _refuse(f"reading {name!r}, neither in the file's folder nor in a ROS package,")
        return file.open("rb")

    def variable(name: str, default: str | None = None) -> str:
        if name not in variables and (default is None or name in os.environ):
            _refuse(f"$(env {name}), which no argument gives,")
        return variables.get(name, default or "")

    for names in (*map(xacro._global_symbols.get, ("python", "xacro")), xacro._global_symbols):
        for name in names.keys() - {*FUNCTIONS.split(), *vars(math)}:
            dict.pop(names, name)
    xacro.safe_eval, xacro.open = _evaluate, read
    substitution_args._eval_env = substitution_args._eval_optenv = variable
    xacro.eval = substitution_args.eval = lambda text, *_: _refuse(f"eval of {text!r}")
    builder: Any = xml.dom.expatbuilder.ExpatBuilder
    builder.start_doctype_decl_handler = lambda *_: _refuse("a document type (<!DOCTYPE ...>)")


def _is_readable(file: Path, folders: tuple[Path, Path]) -> bool:
    """Whether a file is in one of the folders, on the package path, or in a package that is found from the folders."""
    listed = [x for name in VARIABLES[PACKAGE] for x in os.environ.get(name, "").split(os.pathsep) if x]
    if any(file.is_relative_to(place) for place in (*folders, *(Path(x).resolve() for x in listed))):
        return True
    own = {*folders[0].parents, *folders[1].parents}
    for home in file.parents:
        found = package_folder(package_name(str(home)) or "", str(folders[0]))
        # the files of an installed package, package.xml too, may be links to those of its source
        if found and (home in own or (found / "package.xml").resolve().parent == home):
            return True
    return False


def _evaluate(text: str, symbols: dict[str, Any]) -> Any:
    tree = ast.fix_missing_locations(_Guard().visit(ast.parse(text.strip(), mode="eval")))
    dict.update(symbols, __builtins__={"__attribute": _attribute})
    return eval(compile(tree, "<expression>", "eval"), symbols)


class _Guard(ast.NodeTransformer):
    def visit(self, node: Any) -> Any:
        name = str(getattr(node, "attr", "") or getattr(node, "id", ""))
        if not isinstance(node, PARTS) or "__" in name:
            _refuse(f"{type(node).__name__} {name}".rstrip())
        self.generic_visit(node)
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            _refuse("an assignment")
        if isinstance(node, ast.Attribute):
            return ast.Call(ast.Name("__attribute", ast.Load()), [node.value, ast.Constant(name)], [])
        return node


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, xacro.NameSpace):
        if name in value:
            return value[name]
    elif any(isinstance(value, kind) and name in methods.split() for kind, methods in METHODS.items()):
        return getattr(value, name)
    elif isinstance(value, xacro.YamlDictWrapper):
        return value[name]
    _refuse(f"attribute '{name}' of {type(value).__name__}")


def _bound_resources(seconds: int, memory: int) -> None:
    """Limit this process's memory, time and output, as far as the system allows; on Windows only the time."""
    with contextlib.suppress(ImportError):
        import resource

        for name, most in (("RLIMIT_AS", memory), ("RLIMIT_CPU", seconds), ("RLIMIT_FSIZE", LARGEST + 1)):
            with contextlib.suppress(ValueError):  # macOS rejects a limit below the memory in use
                resource.setrlimit(getattr(resource, name), (most, most))
