// The live figure of the home page: a UR5, its six joints as sliders, the torques that hold it still as bars.
// Everything is computed here, by the WebAssembly module of ur5.js. No library, and no request.
"use strict";

(async () => {
  const figure = document.getElementById("live-figure");
  const bytes = Uint8Array.from(atob(UR5.code), c => c.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(bytes);
  const { memory, ur5_gravity_forces, ur5_forward_kinematics } = instance.exports;

  // The functions take byte addresses: six positions, six torques, and a 4 x 4 matrix for each link.
  const n = UR5.joints.length, Q = 0, TAU = 8 * n, POSES = 16 * n;
  const q = new Float64Array(memory.buffer, Q, n);
  const tau = new Float64Array(memory.buffer, TAU, n);
  const poses = new Float64Array(memory.buffer, POSES, 16 * UR5.links);
  q.set(UR5.start);

  // ------------------------------------------------------------------ elements

  const element = (tag, parent, properties = {}) => parent.appendChild(Object.assign(document.createElement(tag), properties));

  figure.textContent = "";
  const canvas = element("canvas", figure, { className: "live-canvas" });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "A UR5 on a grid, in the pose that the sliders set");
  const panel = element("div", figure, { className: "live-panel" });

  // A labelled slider in degrees; `moved` gets its value in radians.
  function slider(name, parent, range, value, moved) {
    const label = element("label", parent, { className: "live-name" });
    element("span", label, { textContent: name });
    const degrees = element("span", label, { className: "live-degrees" });
    const input = element("input", label, { type: "range", min: -range, max: range, step: 1 });
    const show = () => {
      degrees.textContent = `${input.value}°`.replace("-", "\u2212");
      input.setAttribute("aria-valuetext", `${input.value} degrees`);
    };
    input.value = Math.round(value * 180 / Math.PI);
    input.addEventListener("input", () => { moved(input.value * Math.PI / 180); show(); update(); });
    show();
    return { input, show };
  }

  const bars = UR5.joints.map((name, i) => {
    const row = element("div", panel, { className: "live-row" });
    slider(name, row, 180, q[i], value => { q[i] = value; });
    const track = element("div", row, { className: "live-track" });
    const bar = element("div", track, { className: "live-bar" });
    return { bar, number: element("div", row, { className: "live-number" }) };
  });
  const view = { turn: 0.9, tilt: 0.35 };
  const turn = slider("turn the view", element("div", panel, { className: "live-row live-view" }), 180, view.turn,
                      value => { view.turn = value; });
  element("p", panel, { className: "live-note",
                        textContent: "Torque that holds each joint still, and its rated limit. A full half bar is the limit." });

  // ------------------------------------------------------------------ torques

  function showTorques() {
    bars.forEach(({ bar, number }, i) => {
      const share = tau[i] / UR5.limits[i], width = Math.min(Math.abs(share), 1) * 50;
      bar.style.width = `${width}%`;
      bar.style.left = share < 0 ? `${50 - width}%` : "50%";
      bar.classList.toggle("live-over", Math.abs(share) > 1);
      const shown = Math.abs(tau[i]) < 0.005 ? 0 : tau[i];   // no "-0.00"
      number.textContent = `${shown.toFixed(2)} of ${UR5.limits[i]} N m`.replace("-", "\u2212");
    });
  }

  // ------------------------------------------------------------------ drawing

  const CENTRE = 0.3, DISTANCE = 3.2;     // height that the camera looks at, and its distance [m]

  // A point in the base frame on the canvas: x, y, depth, and pixels a metre there.
  function project([x, y, z], size) {
    const c = Math.cos(view.turn), s = Math.sin(view.turn), ct = Math.cos(view.tilt), st = Math.sin(view.tilt);
    const aside = c * y - s * x, towards = c * x + s * y, up = z - CENTRE;
    const depth = DISTANCE - (ct * towards + st * up);
    const scale = 2.1 * Math.min(size.width, size.height) / depth;
    return { x: size.width / 2 + scale * aside, y: size.height / 2 - scale * (ct * up - st * towards), depth, scale };
  }

  // A point (link, x, y, z) of the link's frame in the base frame.
  function placed([link, x, y, z]) {
    const row = k => poses.subarray(16 * link + 4 * k, 16 * link + 4 * k + 4);
    return [0, 1, 2].map(k => { const r = row(k); return r[0] * x + r[1] * y + r[2] * z + r[3]; });
  }

  function stroke(pen, colour, width, points) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    points.forEach(({ x, y }) => pen.lineTo(x, y));
    pen.stroke();
  }

  function drawGround(pen, size, colour) {
    for (let k = -4; k <= 4; k++) {
      const at = 0.2 * k, end = 0.8;
      stroke(pen, colour, 1, [project([at, -end, 0], size), project([at, end, 0], size)]);
      stroke(pen, colour, 1, [project([-end, at, 0], size), project([end, at, 0], size)]);
    }
  }

  function draw() {
    const size = { width: canvas.clientWidth, height: canvas.clientHeight }, ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
    const pen = canvas.getContext("2d"), style = getComputedStyle(figure);
    const colour = name => style.getPropertyValue(`--live-${name}`).trim();
    pen.scale(ratio, ratio);
    pen.lineCap = pen.lineJoin = "round";
    drawGround(pen, size, colour("grid"));

    // The shadow straight below, then the tubes from far to near, each with its edge.
    const line = UR5.points.map(placed);
    stroke(pen, colour("shadow"), 10, line.map(([x, y]) => project([x, y, 0], size)));
    const tubes = line.slice(1).map((end, i) => ({
      ends: [project(line[i], size), project(end, size)],
      thick: 0.11 - 0.007 * i,
    })).filter(({ ends: [a, b] }) => Math.hypot(a.x - b.x, a.y - b.y) > 0.5);
    tubes.sort((a, b) => b.ends[0].depth + b.ends[1].depth - a.ends[0].depth - a.ends[1].depth);
    for (const { ends, thick } of tubes) {
      const width = thick * (ends[0].scale + ends[1].scale) / 2;
      stroke(pen, colour("edge"), width + 2, ends);
      stroke(pen, colour("link"), width, ends);
      stroke(pen, colour("shine"), 0.25 * width, ends);
    }
  }

  function update() {
    ur5_gravity_forces(Q, TAU);
    ur5_forward_kinematics(Q, POSES);
    showTorques();
    draw();
  }

  // ------------------------------------------------------------------ view

  canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    view.turn = Math.atan2(Math.sin(view.turn - 0.01 * event.movementX), Math.cos(view.turn - 0.01 * event.movementX));
    view.tilt = Math.min(1.5, Math.max(0.02, view.tilt + 0.01 * event.movementY));
    turn.input.value = Math.round(view.turn * 180 / Math.PI);
    turn.show();
    draw();
  });
  new ResizeObserver(draw).observe(canvas);
  new MutationObserver(draw).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
  update();
})().catch(error => {
  document.getElementById("live-figure").textContent = `This browser cannot run the figure: ${error.message}`;
});

// A recording loads on a click alone: it is as large as all the rest of the page.
document.querySelectorAll("button[data-recording]").forEach(button => button.addEventListener("click", () => {
  const frame = Object.assign(document.createElement("iframe"), {
    src: button.dataset.recording, title: button.dataset.title, className: "recording",
  });
  button.replaceWith(frame);
  frame.focus();
}));
