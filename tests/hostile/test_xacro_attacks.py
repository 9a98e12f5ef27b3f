"""Xacro files that try to run code, or to read what is not theirs: each is refused by name, and does neither."""

import json
import re
from pathlib import Path

import pytest
from files import names
from processes import printed

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
    "yaml above": ("xacro.load_yaml('../outside/secret.yaml')", "reading '.*/../outside/secret.yaml'"),
    "yaml through a link": ("xacro.load_yaml('link.yaml')", "reading '.*link.yaml'"),
    "yaml through a linked folder": ("xacro.load_yaml('linked/secret.yaml')", "reading '.*linked/secret.yaml'"),
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
    "eval": ("<link name=\"$(eval 1)\"/>", "eval of '1' is not allowed"),
    "eval of a built text": (
        r"""<link name="$(eval ${'env\x28\x27REVOLUTE_SECRET\x27\x29'})"/>""", r"eval of .env\(.*not allowed"),
    "variable": ('<link name="$(env REVOLUTE_SECRET)"/>', r"\$\(env REVOLUTE_SECRET\), which no argument gives"),
    "variable with a default": ('<link name="$(optenv REVOLUTE_SECRET a)"/>', r"\$\(env REVOLUTE_SECRET\)"),
    "yaml by the old name": ("<link name=\"${load_yaml('OUTSIDE/secret.yaml')}\"/>", "reading 'OUTSIDE/secret.yaml'"),
    "yaml of no package": (
        "<link name=\"${xacro.load_yaml('$(find outside)/secret.yaml')}\"/>", "reading '.*secret.yaml'"),
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
@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an attack, with a secret and a mark of success beside it."""
    monkeypatch.setenv("REVOLUTE_SECRET", SECRET)
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
    (outside / "secret.yaml").write_text(f"key: {SECRET}")
    (outside / "secret.xacro").write_text(f'{HEAD}<link name="{SECRET}"/></robot>')
    (inside / "link.yaml").symlink_to(outside / "secret.yaml")
    (inside / "linked").symlink_to(outside)
    for name, text in NEIGHBOURS.items():
        (inside / name).write_text(text.replace("MARK", str(tmp_path / "mark")))
    return inside


def attack(folder: Path, name: str, text: str) -> Path:
    """The file of an attack."""
    outside, mark = folder.parent / "outside", folder.parent / "mark"
    (folder / name).write_text(text.replace("MARK", str(mark)).replace("OUTSIDE", str(outside)), "utf-8")
    return folder / name


def of_expression(text: str) -> str:
    return f'{HEAD}<link name="${{{text.replace("<", "&lt;")}}}"/></robot>'


LOADED = (
    {name: (f"{HEAD}{text}</robot>", pattern) for name, (text, pattern) in FILES.items()}
    | WHOLE
    | {x: (of_expression(EXPRESSIONS[x][0]), EXPRESSIONS[x][1]) for x in ("lambda", "import", "yaml through a link")}
)


@pytest.mark.parametrize("name", LOADED)
def test_an_attack_is_refused_by_file_and_expression(name: str, folder: Path) -> None:
    text, pattern = LOADED[name]
    pattern = rf"attack\.xacro: xacro cannot expand it: .*{pattern.replace('OUTSIDE', '.*outside')}"
    with pytest.raises(RevoluteError, match=pattern) as caught:
        revolute.load(attack(folder, "attack.xacro", text))
    assert SECRET not in str(caught.value)
    assert names(folder.parent) == ["inside", "outside"]


ONE_PROCESS = """
import json, sys, xacro
from revolute.io import xacro_process
paths, outcomes = sys.argv[1:], []
xacro_process._restrict(paths[0], {})
for path in paths:
    try:
        outcomes.append(xacro.process_file(path).toxml())
    except Exception as error:
        outcomes.append("refused: " + " ".join(str(error).split()))
print(json.dumps(outcomes))
"""


def test_expressions_that_attack_are_refused_by_name(folder: Path) -> None:
    """The process that expands files, here with one file after another."""
    attacks = [attack(folder, f"{k}.xacro", of_expression(x)) for k, (x, _) in enumerate(EXPRESSIONS.values())]
    outcomes = json.loads(printed(ONE_PROCESS, *attacks))
    patterns = [f"refused: .*{x.replace('OUTSIDE', '.*outside')}.*evaluating expr" for _, x in EXPRESSIONS.values()]
    assert [x for x, y in zip(outcomes, patterns, strict=True) if not re.match(y, x) or SECRET in x] == []
    assert names(folder.parent) == ["inside", "outside"]


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
    with pytest.raises(RevoluteError, match=r"reading .*secret.xacro.* is not allowed"):
        revolute.load(path)
    with pytest.raises(RevoluteError, match="trusted must be of the type bool"):
        revolute.load(path, trusted="no")  # type: ignore[arg-type]
    assert not (tmp_path / "mark").exists()
    assert revolute.load(path, trusted=True).link_names == (SECRET,)
    assert (tmp_path / "mark").exists()
