"""`revolute text` and `revolute.texts.find`: places as people write them, formulas, misprints, calls, pages."""

import ast
import inspect
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import invoke
from numpy.testing import assert_allclose
from test_texts import ROWS, THINGS

import revolute
from revolute.symbolic.terminal import in_terminal, markdown_in_terminal
from revolute.texts import TEXTS, find
from revolute.texts.calls import call_of
from revolute.texts.pages import page
from revolute.texts.passage import PAGES as OF_TEXTS

NAMES = {name: letters for letters, names in OF_TEXTS.items() for name in names}
PAGES = {name: page(name) for name in NAMES}
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("asked", "number"),
    {
        "lp9.45": "LP 9.45", "LP9.45": "LP 9.45", "bp (5.3.44b)": "BP 5.3.44b", "BP  5.3.44": "BP 5.3.44",
        "BP equation 5.3.44": "BP 5.3.44", "BP Eq. (5.3.44)": "BP 5.3.44", "LP 9.44–9.46": "LP 9.44–9.46",
        "LP 9.45-9.46": "LP 9.45, 9.46", "LP 9.44-46": "LP 9.44-46", "BP 5.3.44a–b": "BP 5.3.44a, 5.3.44b",
        "BP 5.3.44a-5.3.44b": "BP 5.3.44a, 5.3.44b", "BP Lemma C5": "BP Lemma C-5", "bp lemma c-5": "BP Lemma C-5",
        "BP Lemma C-5–C-7": "BP Lemma C-5–C-7", "BP algorithm 5.7": "BP Alg. 5.7", "GOA proposition 5": "GOA Prop. 5",
        "LP newton euler": "LP Newton-Euler", "BP Remark 3.1": "BP Remark 3.1", "BP 7.4": "BP section 7.4",
        "LP section 9.6": "LP section 9.6", "LP Sec. 9.6": "LP section 9.6", "BP §7.4": "BP section 7.4",
        "BP Fig. 5.1": "BP figure 5.1", "SHV figure 6.13": "SHV figure 6.13", "SHV Problem 6-8": "SHV Problems",
        "Table 6.1": "BP Table 6.1", "9.45": "LP 9.45", "lemma c5": "BP Lemma C-5",
        "LP Prop. 9.1, 9.89": "LP Prop. 9.1, 9.89",
    }.items(),
)  # fmt: skip
def test_places_as_people_write_them(asked: str, number: str) -> None:
    assert find(asked).number == number


@pytest.mark.parametrize(("asked", "message"), [
    ("BP 5.3.44z", "BP 5.3.44 has the parts a to d, not 5.3.44z"),
    ("LP 9.45a", "LP 9.45 has no parts with letters, not 9.45a"),
    ("LP 9.145", r"LP has no 9\.145; near: 9\.45"),
    ("LP", r"LP needs a place; available: 9\.1, 9\.2, .* more"),
    ("LP 9.46–9.44", "LP has no 9.46–9.44"),
    ("LP 9.98-9.101", r"LP has no 9\.98-9\.101"),
    ("BP 5.2.36–5.3.2", "BP has no 5.2.36–5.3.2"),
    ("MLS 4.1", "must begin with one of LP, BP, JIN, GOA, SHV"),
    ("6.1", "BP and SHV have a 6.1; write 'BP 6.1'"),
    (9.45, "a place must be text such as 'LP 9.45', not 9.45"),
])  # fmt: skip
def test_other_places_are_refused(asked: Any, message: str) -> None:
    with pytest.raises(revolute.RevoluteError, match=f"find: .*{message}"):
        find(asked)


def test_a_number_of_an_equation_and_of_a_section_names_both() -> None:
    assert "LP has a section 9.6 too: Dynamics in task space coordinates" in find("LP 9.6").notes
    assert find("LP section 9.6").notes == ("no call: see LP 9.90–9.99",) and find("LP 9.7").notes == ()


@pytest.mark.parametrize(("letters", "row"), ROWS, ids=lambda x: x if isinstance(x, str) else x.place[:40])
def test_places_of_rows_are_found_as_they_are_printed(letters: str, row: Any) -> None:
    found = find(f"{letters} {row.place}")
    assert found.title == row.what and len(found.calls) == len({*row.names})
    assert found.tests == tuple(f"tests/{test}" for test in dict.fromkeys(row.tests))
    assert bool(found.section) == bool(found.formulas), "a section has formulas"


@pytest.mark.parametrize("name", PAGES)
def test_places_and_misprints_of_pages_are_found(name: str) -> None:
    letters = NAMES[name]
    for place, what, see in PAGES[name].others:
        assert (find(f"{letters} {place}").number, find(f"{letters} {place}").title) == (f"{letters} {place}", what)
        assert see == "none" or find(f"{letters} {see}").number
    for numbers, misprint in PAGES[name].misprints:
        assert all(misprint in find(f"{letters} {number}{letter}").misprints for number, letter in numbers)
    with_parts = set(PAGES[name].letters)
    printed = {x for section in PAGES[name].sections for formula in section.formulas() for x in formula.numbers}
    assert {(number, letter) for number, letter in printed if letter} <= with_parts
    assert [x for x, _ in with_parts if not find(f"{letters} {x}")] == []


@pytest.mark.parametrize(
    "place",
    [
        "5.2.7", "5.2.13b", "5.2.19c", "5.2.25", "5.2.30", "5.3.44b", "5.3.45e", "5.3.46b", "6.2.9b", "6.2.9c",
        "6.3.29e", "Table 6.2", "Table 7.2",
    ],
)  # fmt: skip
def test_numbers_with_a_wrong_print_say_so(place: str) -> None:
    assert find(f"BP {place}").misprints
    if place[-1] in "bce":
        assert find(f"BP {place[:-1]}").misprints and not find(f"BP {place[:-1]}a").misprints


# --- formulas ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_no_latex_remains_in_a_terminal(name: str) -> None:
    shown = [in_terminal(formula.latex) for section in PAGES[name].sections for formula in section.formulas()]
    shown += [markdown_in_terminal(text) for section in PAGES[name].sections for text in section.text()]
    shown += [markdown_in_terminal(text) for _, text in PAGES[name].misprints]
    whole = markdown_in_terminal(PAGES[name].path.read_text(encoding="utf-8"))
    for text in (*shown, re.sub(r"```.*?```|`[^`\n]+`", "", whole, flags=re.DOTALL)):
        assert not set("\\$\0\ue000\ue001\ue002") & set(text), text
        assert text.count("{") == text.count("}"), text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\mathcal{V}_i = \mathrm{Ad}_{T_{i,i-1}}(\mathcal{V}_{i-1}) + \mathcal{A}_i\dot\theta_i",
         "𝒱ᵢ = Ad_{T_{i,i−1}}(𝒱ᵢ₋₁) + 𝒜ᵢθ̇ᵢ"),
        (r"\frac12\sum_{i=1}^n \dot q^T M(q)\,\dot q", "½ ∑ᵢ₌₁ⁿ q̇ᵀ M(q) q̇"),
        (r"\frac{d}{dt}\frac{\partial \mathcal{L}}{\partial\dot q_k}", "d/dt ∂ℒ/∂q̇ₖ"),
        (r"\frac{a + b}{c\,d} - \frac{\partial^2 A_i}{\partial q_i^2}", "(a + b)/(c d) − ∂²Aᵢ/∂qᵢ²"),
        (r"\begin{bmatrix} \mathcal{I}_b & 0 \\ 0 & m I \end{bmatrix}^{-1}", "[ℐ_b, 0; 0, m I]⁻¹"),
        (r"\begin{cases} z & \text{prismatic} \\ 0 & \text{revolute} \end{cases}", "{z prismatic; 0 revolute}"),
        (r"\tilde{\dot\omega}_i^{i} + \overline m_{i+1}\,\ddot{\mathbf{v}}", "ω̇̃ᵢⁱ + m̄ᵢ₊₁ 𝐯̈"),
        (r"K_{o_i}^{-T}\,\sin q_1\cos(q_1 - q_2)\,g_{\mathrm{tip}}", "K_{oᵢ}⁻ᵀ sin q₁ cos(q₁ − q₂) g_tip"),
        (r"a = b, \qquad c = d, \qquad j \leq i", "a = b,\nc = d,   j ≤ i"),
        (r"\begin{aligned} x &= y \\ &\quad + z \end{aligned} \tag*{(5.2.7)}", "x = y\n    + z   (5.2.7)"),
    ],
)  # fmt: skip
def test_formulas_in_a_terminal(latex: str, text: str) -> None:
    assert in_terminal(latex) == text


@pytest.mark.parametrize(
    ("place", "count", "formula"),
    [
        ("LP 9.46", 1, r"\mathcal{V}_i &= \mathrm{Ad}"), ("LP 9.55", 1, r"\dot{\mathcal{V}}_i &="),
        ("LP Newton-Euler", 5, "T_{i-1,i}"), ("LP 9.30", 1, r"{[\mathcal{V}_1, \mathcal{V}_2]}"),
        ("BP 5.2.23c", 1, r"\ddot s_{0,i+1}^{i+1} &="), ("BP 5.2.24", 3, "f_i^i"), ("BP 7.3.3", 2, "v_{ij}"),
        ("BP 7.3.4b", 1, "p_{ij}"), ("SHV 6.99", 2, r"\tau_1"), ("SHV 6.97", 1, "P &="), ("GOA 16", 1, "Y"),
        ("LP 9.93", 1, r"J^{-1}"), ("SHV 6.25", 1, "f_i^T"), ("SHV figure 6.4", 0, ""),
        ("LP section 9.6", 0, ""), ("BP C.1", 1, r"\dot W_i"), ("BP Lemma C-3", 1, r"\partial W_i"),
        ("BP Lemma C-8", 1, r"\mu_i^i"),
    ],
)  # fmt: skip
def test_formulas_of_a_number_alone(place: str, count: int, formula: str) -> None:
    """A page that numbers its formulas gives that of the number, or says that it has none."""
    found = find(place)
    assert len(found.formulas) == count and formula in "".join(found.formulas[:1])
    numbered = place.rpartition(" ")[2] in "".join(re.findall(r"\\tag\*\{(.*)\}", " ".join(found.formulas)))
    assert numbered or any("has no formula of" in note for note in found.notes) == (place in ("LP 9.93", "SHV 6.97"))


# --- calls --------------------------------------------------------------------------------------


def test_calls_are_as_one_types_them() -> None:
    robot = revolute.robots.ur5()
    given: dict[str, Any] = {
        "revolute": revolute, "robot": robot, "drives": {}, "inertia": robot.bodies[1].inertia,
        "twist": revolute.Twist(), "wrench": revolute.Wrench(), "transform": revolute.Transform(),
        "rotation": revolute.Rotation(),
        "system": revolute.robots.examples.particle(), "q": np.zeros(6), "qd": np.zeros(6), "qdd": np.zeros(6),
        "tau": np.zeros(6), "frame": "tool0",
    }  # fmt: skip
    for call in {call_of(THINGS[name], name, row.options) for _, row in ROWS for name in row.names}:
        tree = ast.parse(call, mode="eval").body
        function = tree.func if isinstance(tree, ast.Call) else tree
        assert eval(ast.unparse(function), given) is not None, call
    assert find("BP Alg. 5.3").calls == ("revolute.published.luh_walker_paul(robot, q, qd, qdd)",)
    for place in ("LP 9.2", "LP 9.45", "LP 9.82", "JIN 36", "SHV 6.63"):
        for call in find(place).calls:
            assert call.startswith("revolute.published") or np.isfinite(eval(call, given)).all(), call


# --- what is shown ------------------------------------------------------------------------------

REST = "The call starts from a base at rest, without gravity."
SHOWN = f"""\
LP 9.58: another form of the acceleration

    𝒱̇ᵢ = Ad_{{T_{{i,i−1}}}}(𝒱̇ᵢ₋₁) + [Ad_{{T_{{i,i−1}}}}(𝒱ᵢ₋₁), 𝒜ᵢ] θ̇ᵢ + 𝒜ᵢθ̈ᵢ

  𝒱ᵢ is the twist of frame i along its own axes, 𝒜ᵢ the screw of joint i along them. {REST}
  misprint: 9.58: T_{{i−1,i}} for T_{{i,i−1}}
  call: robot.acceleration(q, qd, qdd, frame)
  test: tests/dynamics/test_kinematics.py::test_velocities_and_accelerations_are_those_of_the_jacobian
  test: tests/spatial/test_motion.py::test_two_forms_of_the_acceleration_recursion
  page: {ROOT / "docs/texts/lp-9.md"}:"""


def test_the_command_shows_what_is_found() -> None:
    shown, _, line = invoke("text", "lp9.58").strip().rpartition(":")
    assert f"{shown}:" == SHOWN and f"{shown}:{line}" == repr(find("LP 9.58"))
    heading = (ROOT / "docs/texts/lp-9.md").read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert heading == "### 9.58: The other form of the acceleration"
    assert r"[\mathrm{Ad}_{T_{i,i-1}}(\mathcal{V}_{i-1}), \mathcal{A}_i]" in invoke("text", "LP", "9.58", "--latex")
    assert "no test: definitions" in invoke("text", "LP", "9.22")


def test_sentences_that_introduce_code_are_left_out() -> None:
    found = find("SHV 6.6")
    assert "A spherical pendulum" in found.section and "pendulum" not in "".join(found.text)
    assert find("BP 5.2.23").text[0].startswith("5.2.21 and 5.2.22 are for any body")


def test_the_command_shows_the_section_of_the_page() -> None:
    shown = invoke("text", "LP", "9.81", "--page")
    assert shown.startswith("### 9.81: A wrench at the tip") and "ℱ_tip" in shown
    assert 'assert same(with_tip - without, arm.jacobian(q, "flange").T @ F_tip)' in shown
    assert r"\mathcal{F}_{\mathrm{tip}}" in invoke("text", "LP", "9.81", "--page", "--latex")
    assert invoke("text", "LP section 9.6", "--page") == invoke("text", "LP section 9.6")


@pytest.mark.slow
def test_a_wheel_has_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # it may lead to the source, and hide the wheel

    def run(*command: str | Path) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True, encoding="utf-8")
        if done.returncode and "hatchling" in done.stderr:
            pytest.skip("the package index, which has hatchling, cannot be reached")
        assert done.returncode == 0, done.stderr
        return done.stdout

    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "--wheel-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("revolute-*.whl")
    venv.create(tmp_path / "env")
    programs = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    places = run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    others = [path for path in sys.path if "site-packages" in path]  # what the library depends on
    (Path(places) / "others.pth").write_text("\n".join(others), encoding="utf-8")
    run(*pip, "--python", programs / "python", "install", "--no-deps", "--ignore-installed", wheel)
    shown = run(programs / "revolute", "text", "LP", "9.46")
    assert "𝒱ᵢ = Ad_{T_{i,i−1}}(𝒱ᵢ₋₁) + 𝒜ᵢθ̇ᵢ" in shown
    path = Path(shown.partition("page: ")[2].strip().rpartition(":")[0])
    assert path.is_file() and path.is_relative_to(places)


def test_calls_have_the_options_of_their_rows() -> None:
    """A row names no option that none of its functions has."""
    assert find("SHV 6.69").calls == (
        'revolute.robots.shv("cartesian")', 'robot.jacobian(q, frame, reference="aligned", point="com")'
    )  # fmt: skip
    for row in (row for rows in TEXTS.values() for row in rows if row.options):
        having = {x for name in row.names for x in inspect.signature(THINGS[name]).parameters}
        assert row.options.keys() <= having, row.place


@pytest.mark.parametrize(("place", "value"), [
    ("BP 3.2.34", lambda u, v: np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))),
    ("BP 3.3.36", lambda u, v: u),
    ("BP 3.4.12", lambda u, v: np.outer(v, u)),
    ("BP 3.4.14", lambda u, v: np.outer(v, u)),
    ("BP 3.4.15", lambda u, v: -2 * u @ v),
    ("BP 3.4.16", lambda u, v: -2 * u @ v),
    ("BP 3.4.26", lambda u, v: np.outer(v, u) - np.outer(u, v)),
    ("BP 3.4.27", lambda u, v: np.outer(v, u) - np.outer(u, v)),
    ("BP 3.4.29", lambda u, v: np.cross(u, v)),
    ("BP 3.4.30", lambda u, v: np.cross(u, v)),
    ("BP 3.4.32", lambda u, v: -np.cross(u, v) / 2),
    ("BP 3.4.33", lambda u, v: np.cross(u, v) / 2),
])  # fmt: skip
def test_the_first_call_of_a_number_has_its_arguments(place: str, value: Callable[..., Any]) -> None:
    u, v = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.7, -1.1])
    bar = np.array(revolute.tensors.dual(-u))
    given = {"revolute": revolute, "numpy": np, "u": u, "v": v, "t": u, "s": v, "u_bar": bar}
    assert_allclose(eval(find(place).calls[0], given), value(u, v), rtol=1e-12, atol=1e-12)
