"""Modules that note what they run: probes stand in the compiled file alone, so the source is as it was."""

from __future__ import annotations

import ast
import importlib.util
import marshal
from pathlib import Path

__all__ = ["compile_with_probes"]

IMPORT = "from tools.mutants.probe import passed as __passed__"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Probes(ast.NodeTransformer):
    """A probe before each statement that begins on one of the lines, and one for the module in each function."""

    def __init__(self, file: str, lines: set[int]) -> None:
        self.file, self.lines = file, lines

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for part in ("body", "orelse", "finalbody"):
            statements = getattr(node, part, None)
            if isinstance(statements, list):
                setattr(node, part, [x for statement in statements for x in self.before(statement)])
        if isinstance(node, FUNCTIONS):
            node.body.insert(_has_docstring(node), _probe(self.file, node))
        return node

    def before(self, statement: ast.stmt) -> list[ast.stmt]:
        first = min([statement.lineno, *(x.lineno for x in getattr(statement, "decorator_list", ()))])
        return [_probe(f"{self.file}:{first}", statement), statement] if first in self.lines else [statement]


def _probe(place: str, at: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name("__passed__", ast.Load()), [ast.Constant(place)], [])
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), at))


def _has_docstring(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node) is not None


def compile_with_probes(path: Path, file: str, lines: set[int]) -> None:
    """Write the compiled file of a module with probes beside it; Python takes it for that of the source."""
    source = path.read_bytes()
    tree = _Probes(file, lines).visit(ast.parse(source))
    future = [n for n, x in enumerate(tree.body) if isinstance(x, ast.ImportFrom) and x.module == "__future__"]
    tree.body.insert(future[-1] + 1 if future else _has_docstring(tree), ast.parse(IMPORT).body[0])
    code = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    checked_hash = (3).to_bytes(4, "little")
    header = importlib.util.MAGIC_NUMBER + checked_hash + importlib.util.source_hash(source)
    compiled = Path(importlib.util.cache_from_source(str(path)))
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(header + marshal.dumps(code))
