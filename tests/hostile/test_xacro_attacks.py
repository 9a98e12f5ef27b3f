"""Xacro files that try to run code, or to read what is not theirs: each is refused by name, and does neither."""

import concurrent.futures
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import revolute
from revolute import RevoluteError

pytest.importorskip("xacro")

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
SECRET = "xyzzy"
CLASSES = "().__class__.__base__.__subclasses__()"
RUN = f"(lambda: [c for c in {CLASSES} if c.__name__ == '_wrap_close'][0].__init__.__globals__"

EXPRESSIONS = {
    "lambda": (f"{RUN}['system']('touch MARK'))()", "Lambda"),
    "lambda in a comprehension": (f"[{RUN}['system']('touch MARK'))() for k in [1]][0]", "Lambda"),
    "lambda as a key": ("max([1], key=lambda x: x)", "Lambda"),
    "class of a tuple": ("().__class__", "Attribute __class__"),
    "class in a comprehension": ("[x.__class__ for x in [1]]", "Attribute __class__"),
    "globals of a function": ("xacro.load_yaml.__globals__['os'].system('touch MARK')", "Attribute __globals__"),
    "module of a function": ("max.__self__", "Attribute __self__"),
    "compatibility characters": ("xacro.x\uff3f\uff3fy", "Attribute x__y"),
    "import": ("__import__('os').system('touch MARK')", "Name __import__"),
    "name of builtins": ("__builtins__", "Name __builtins__"),
    "loop variable with underscores": ("[0 for __attribute in [1]]", "Name __attribute"),
    "frame of a generator": ("(x for x in [1]).gi_frame.f_back.f_globals", "attribute 'gi_frame' of generator"),
    "frame in a comprehension": ("[g.gi_frame for g in [(x for x in [1])]]", "attribute 'gi_frame' of generator"),
    "format": (r"'\x7b0.__class__\x7d'.format(1)", "attribute 'format' of str"),
    "format of a type": (r"str.format('\x7b0.__class__\x7d', 1)", "attribute 'format' of type"),
    "format_map": (r"'\x7ba.__class__\x7d'.format_map(dict(a=1))", "attribute 'format_map' of str"),
    "f-string": ("f'a'", "JoinedStr"),
    "method of a type": ("dict.fromkeys([1])", "attribute 'fromkeys' of type"),
    "vars": ("python.vars(str)['format']", "attribute 'vars' of NameSpace"),
    "type": ("python.type('X', (), dict())", "attribute 'type' of NameSpace"),
    "change of a namespace": ("xacro.update(dict(load_yaml=str))", "attribute 'update' of NameSpace"),
    "root of a namespace": ("math.root", "attribute 'root' of NameSpace"),
    "assignment": ("(y := 1)", "NamedExpr"),
    "assignment to a namespace": ("[0 for xacro['load_yaml'] in [str]]", "an assignment"),
    "assignment to an attribute": ("[0 for math.pi in [3]]", "an assignment"),
    "shift": ("1 << 10000000000", "LShift"),
    "getattr": ("getattr(1, 'real')", "'getattr' is not defined"),
    "eval": ("eval('1')", "'eval' is not defined"),
    "open": ("open('OUTSIDE/secret.yaml')", "'open' is not defined"),
    "yaml by absolute path": ("xacro.load_yaml('OUTSIDE/secret.yaml')", "reading 'OUTSIDE/secret.yaml'"),
    "yaml by the old name": ("load_yaml('OUTSIDE/secret.yaml')", "reading 'OUTSIDE/secret.yaml'"),
    "yaml above": ("xacro.load_yaml('../outside/secret.yaml')", "reading '.*/../outside/secret.yaml'"),
    "yaml through a link": ("xacro.load_yaml('link.yaml')", "reading '.*link.yaml'"),
    "yaml through a linked folder": ("xacro.load_yaml('linked/secret.yaml')", "reading '.*linked/secret.yaml'"),
    "yaml of no package": ("xacro.load_yaml('$(find outside)/secret.yaml')", "reading '.*secret.yaml'"),
    "yaml of the process": ("xacro.load_yaml('/proc/self/environ')", "reading '/proc/self/environ'"),
    "yaml by map": ("[x for x in map(xacro.load_yaml, ['OUTSIDE/secret.yaml'])]", "reading 'OUTSIDE/secret.yaml'"),
    "yaml with a lambda": ("xacro.load_yaml('lambda.yaml')", "Lambda"),
    "yaml that calls Python": ("xacro.load_yaml('python.yaml')", "could not determine a constructor"),
}  # fmt: skip
"""Expressions, and patterns of the messages."""

FILES = {
    "macro default": ('<xacro:macro name="m" params="a:=${(lambda:1)()}"/><xacro:m/>', r"Lambda.*\(lambda:1\)\(\)"),
    "property name": ('<xacro:property name="${(lambda:1)()}" value="1"/>', r"Lambda.*\(lambda:1\)\(\)"),
    "condition": ('<xacro:if value="${(lambda:1)()}"/>', r"Lambda.*\(lambda:1\)\(\)"),
    "comment": ("<!-- xacro:eval-comments --><!-- ${(lambda:1)()} -->", r"Lambda.*\(lambda:1\)\(\)"),
    "included file": ('<xacro:include filename="evil.xacro"/>', r"in .*evil.xacro: Lambda.*\(lambda:1\)\(\)"),
    "parameter named as builtins": (
        '<xacro:macro name="m" params="__builtins__"><link name="${open}"/></xacro:macro>'
        '<xacro:m __builtins__="${xacro}"/>', "'open' is not defined.*'open'"),
    "parameter named as a check": (
        '<xacro:macro name="m" params="__attribute"><link name="${().gi_frame}"/></xacro:macro>'
        '<xacro:m __attribute="${max}"/>', "gi_frame"),
    "eval": ("<link name=\"$(eval 1)\"/>", r"\$\(eval 1\) is not allowed"),
    "eval of a built text": (
        r"""<link name="$(eval ${'env\x28\x27REVOLUTE_SECRET\x27\x29'})"/>""", r"\$\(eval env\(.*not allowed"),
    "variable": ('<link name="$(env REVOLUTE_SECRET)"/>', r"\$\(env REVOLUTE_SECRET\), which no argument gives"),
    "variable with a default": ('<link name="$(optenv REVOLUTE_SECRET a)"/>', r"\$\(env REVOLUTE_SECRET\)"),
    "include by absolute path": ('<xacro:include filename="OUTSIDE/secret.xacro"/>', "reading 'OUTSIDE/secret.xacro'"),
    "include above": ('<xacro:include filename="../outside/secret.xacro"/>', "reading '.*outside/secret.xacro'"),
    "include of many": ('<xacro:include filename="../outside/*.xacro"/>', "reading '.*outside/secret.xacro'"),
    "include if there": (
        '<xacro:include optional="true" filename="OUTSIDE/secret.xacro"/>', "reading 'OUTSIDE/secret.xacro'"),
    "include through a link": ('<xacro:include filename="linked/secret.xacro"/>', "reading '.*linked/secret.xacro'"),
    "entity of an included file": ('<xacro:include filename="entity.xacro"/>', "in .*entity.xacro: a document type"),
}  # fmt: skip
WHOLE = {
    "entity": (f'<!DOCTYPE robot [<!ENTITY x "y">]>{HEAD}<link name="&x;"/></robot>', "a document type"),
    "external entity": (
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "file://OUTSIDE/secret.yaml">]>{HEAD}<link name="a"/>&x;</robot>',
        "a document type"),
}  # fmt: skip
NEIGHBOURS = {
    "evil.xacro": f"{HEAD}<link name='${{(lambda:1)()}}'/></robot>",
    "entity.xacro": f'<!DOCTYPE robot [<!ENTITY x "y">]>{HEAD}<link name="&x;"/></robot>',
    "lambda.yaml": "a: !degrees (lambda:1)()",
    "python.yaml": 'a: !!python/object/apply:os.system ["touch MARK"]',
}
ATTACKS = (
    {f"expression: {name}": (f'{HEAD}<link name="{{}}"/></robot>'.format(f"${{{text.replace('<', '&lt;')}}}"),
                             f"{pattern}.*when evaluating expression")
     for name, (text, pattern) in EXPRESSIONS.items()}
    | {f"file: {name}": (f"{HEAD}{text}</robot>", pattern) for name, (text, pattern) in FILES.items()}
    | WHOLE
)  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, object]]]:
    """The folder of the attacks, and what `load` returns or raises for each."""
    base = tmp_path_factory.mktemp("attacks")
    inside, outside = base / "inside", base / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (outside / "secret.yaml").write_text(f"key: {SECRET}")
    (outside / "secret.xacro").write_text(f'{HEAD}<link name="{SECRET}"/></robot>')
    (inside / "link.yaml").symlink_to(outside / "secret.yaml")
    (inside / "linked").symlink_to(outside)
    for name, text in NEIGHBOURS.items():
        (inside / name).write_text(text.replace("MARK", str(base / "mark")))

    def outcome(item: tuple[int, tuple[str, str]]) -> object:
        path = inside / f"attack{item[0]}.xacro"
        path.write_text(item[1][0].replace("MARK", str(base / "mark")).replace("OUTSIDE", str(outside)), "utf-8")
        try:
            return revolute.load(path)
        except Exception as error:
            return error

    with pytest.MonkeyPatch.context() as patch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        patch.setenv("REVOLUTE_SECRET", SECRET)
        yield base, dict(zip(ATTACKS, pool.map(outcome, enumerate(ATTACKS.values())), strict=True))


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_by_file_and_expression(name: str, outcomes: tuple[Path, dict[str, object]]) -> None:
    base, found = outcomes
    error, pattern = found[name], ATTACKS[name][1].replace("OUTSIDE", re.escape(str(base / "outside")))
    assert isinstance(error, RevoluteError), error
    number = list(ATTACKS).index(name)
    assert re.search(rf"attack{number}\.xacro: xacro cannot expand it: .*{pattern}", str(error)), error
    assert SECRET not in str(error)


def test_no_attack_ran(outcomes: tuple[Path, dict[str, object]]) -> None:
    assert sorted(path.name for path in outcomes[0].iterdir()) == ["inside", "outside"]


def test_a_trusted_file_may_do_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attacks are real: the same file executes its command, and reads, once the caller trusts it."""
    monkeypatch.setenv("REVOLUTE_SECRET", SECRET)
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.xacro").write_text(f'{HEAD}<link name="$(env REVOLUTE_SECRET)"/></robot>')
    path = tmp_path / "inside" / "a.xacro"
    command = EXPRESSIONS["lambda in a comprehension"][0].replace("MARK", str(tmp_path / "mark"))
    value = f"${{{command}}}".replace('"', "&quot;")
    path.write_text(f'{HEAD}<xacro:property name="y" value="{value}"/><xacro:include filename="../secret.xacro"/>'
                    '<xacro:if value="${y == 1}"/></robot>')  # fmt: skip
    with pytest.raises(RevoluteError):
        revolute.load(path)
    assert not (tmp_path / "mark").exists()
    assert revolute.load(path, trusted=True).link_names == (SECRET,)
    assert (tmp_path / "mark").exists()
