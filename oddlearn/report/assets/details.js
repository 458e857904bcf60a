// What a node asks and what reaches it: shown when it is pointed at, focused or chosen.
const diagram = byId("diagram");
let chosen = null; // what stays in the details after a click

function mix(shares, notes) {
  const list = make("div", "", "mix");
  const order = [...shares.keys()].filter((code) => shares[code] > 0).sort((a, b) => shares[b] - shares[a]);
  for (const code of order) {
    const track = make("div", "", "track");
    const bar = make("span", "", `c${code % data.colours}`);
    bar.style.width = `${100 * shares[code]}%`;
    track.append(bar);
    list.append(make("span", data.classes[code]), track, make("span", notes(code), "share"));
  }
  return list;
}

function flowParts(flow) {
  if (!flow || !data.total) return [];
  const all = sum(flow);
  const parts = [make("p", `${number(all)} ${data.unit} (${percent(all / data.total)} of all)`)];
  if (data.hasClasses && all > 0) {
    const shares = flow.map((count) => count / all);
    parts.push(mix(shares, (code) => `${number(flow[code])} · ${percent(shares[code])}`));
  }
  return parts;
}

const targetName = (target) =>
  target < data.nodes.length ? `node ${target}` : `class ${data.classes[target - data.nodes.length]}`;

function nodeParts(place) {
  const node = data.nodes[place];
  const parts = [make("p", `${node.sides[1]}?`, "question")];
  parts.push(make("p", `yes: ${targetName(node.targets[1])}, no: ${targetName(node.targets[0])}`));
  parts.push(...flowParts(node.flow));
  if (data.planes[place]) parts.push(plane(data.planes[place], node.sides[1]));
  else if (data.histograms[place]) parts.push(histogram(data.histograms[place], node.sides[1]));
  if (node.terms.length) parts.push(termTable(node));
  else if (node.exact[1] !== node.sides[1]) parts.push(make("p", `Exactly: ${node.exact[1]}`, "rule"));
  return parts;
}

const drawn = (tag, attributes) => {
  const element = document.createElementNS(diagram.namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// the values that a node compares, stacked by class, and its threshold
function histogram({ low, high, at, counts, ends }, question) {
  const [width, height, bars] = [320, 90, counts[0].length];
  const totals = counts[0].map((_, bar) => sum(counts.map((one) => one[bar])));
  const most = Math.max(1, ...totals);
  const label = `Values here, from ${ends[0]} to ${ends[1]}; ${question}`;
  const picture = drawn("svg", { viewBox: `0 0 ${width} ${height + 16}`, class: "histogram", role: "img", "aria-label": label });
  totals.forEach((_, bar) => {
    let top = height;
    counts.forEach((one, code) => {
      const size = (height - 8) * one[bar] / most;
      top -= size;
      const kind = data.hasClasses ? `c${code % data.colours}` : "plain";
      if (size > 0) picture.append(drawn("rect", { x: bar * width / bars + 0.5, y: top, width: width / bars - 1, height: size, class: kind }));
    });
  });
  const x = width * (at - low) / (high - low || 1);
  picture.append(drawn("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" }));
  picture.append(drawn("line", { x1: x, x2: x, y1: 0, y2: height, class: "threshold" }));
  for (const [text, place, anchor] of [[ends[0], 0, "start"], [ends[1], width, "end"]]) {
    const words = drawn("text", { x: place, y: height + 13, "text-anchor": anchor });
    words.textContent = text;
    picture.append(words);
  }
  return picture;
}

// the rows at a node in the plane of the two columns that it compares, and the line between its sides
function plane({ names, ends, points, line }, question) {
  const [width, height, left] = [320, 200, 16];
  const label = `Rows here by ${names[0]} and ${names[1]}; ${question}`;
  const picture = drawn("svg", { viewBox: `0 0 ${width} ${height + 18}`, class: "histogram plane", role: "img", "aria-label": label });
  const at = ([x, y]) => [left + (width - left) * x / 1000, height * (1 - y / 1000)];
  for (const [x, y, code] of points) {
    const [cx, cy] = at([x, y]);
    picture.append(drawn("circle", { cx, cy, r: 2.6, class: data.hasClasses ? `c${code % data.colours}` : "plain" }));
  }
  picture.append(drawn("path", { d: `M${left} 0V${height}H${width}`, class: "axis" }));
  if (line) {
    const [[x1, y1], [x2, y2]] = line.map(at);
    picture.append(drawn("line", { x1, y1, x2, y2, class: "threshold" }));
  }
  const words = (text, attributes) => {
    const element = drawn("text", attributes);
    element.textContent = text;
    picture.append(element);
  };
  words(ends[0][0], { x: left, y: height + 14, "text-anchor": "start" });
  words(names[0], { x: (left + width) / 2, y: height + 14, "text-anchor": "middle" });
  words(ends[0][1], { x: width, y: height + 14, "text-anchor": "end" });
  for (const [text, place, anchor] of [[ends[1][0], height, "start"], [names[1], height / 2, "middle"], [ends[1][1], 0, "end"]]) {
    words(text, { "text-anchor": anchor, transform: `translate(${left - 5} ${place}) rotate(-90)` });
  }
  return picture;
}

function termTable(node) {
  const table = make("table", "", "numbers exact");
  const folded = node.terms.filter(([, shown]) => !shown).length;
  const left = folded ? `, ${folded} of them too small to matter` : "";
  table.append(make("caption", `All ${node.terms.length - 1} terms${left}`));
  for (const cells of [["", "shown", "exactly"], ...node.terms]) {
    const row = make("tr");
    row.append(...cells.map((cell, place) => make(place ? "td" : "th", cell)));
    table.append(row);
  }
  const frame = make("div", "", "terms");
  frame.tabIndex = 0;
  frame.append(table);
  return frame;
}

function endParts(arc) {
  const end = data.ends[arc];
  const parts = [];
  if (data.nodes.length) {
    const node = data.nodes[arc >> 1];
    parts.push(make("p", `Reached from node ${arc >> 1} when ${node.sides[arc % 2]}`));
  }
  parts.push(...flowParts(end.flow));
  if (end.interval) parts.push(make("p", end.interval));
  parts.push(make("p", "Probabilities given to samples that end here:"));
  parts.push(mix(end.probabilities, (code) => percent(end.probabilities[code])));
  return parts;
}

function show(element) {
  byId("details").classList.toggle("open", Boolean(element));
  byId("close").hidden = !element;
  const { node, end } = element ? element.dataset : {};
  let title = "Details";
  let parts = [make("p", "Point at a node or a class, or choose one with Tab and Enter.", "hint")];
  if (node !== undefined) [title, parts] = [`Node ${node}`, nodeParts(Number(node))];
  if (end !== undefined) [title, parts] = [`Class ${data.classes[data.ends[end].class]}`, endParts(Number(end))];
  byId("details-title").textContent = title;
  byId("details-body").replaceChildren(...parts);
}

function choose(element) {
  if (chosen) chosen.setAttribute("aria-pressed", "false");
  chosen = element;
  if (chosen) chosen.setAttribute("aria-pressed", "true");
  show(chosen);
}

for (const element of diagram.querySelectorAll(".node, .end")) {
  element.addEventListener("click", () => choose(element === chosen ? null : element));
  element.addEventListener("focus", () => show(element));
  element.addEventListener("blur", () => show(chosen));
  if (matchMedia("(hover: hover)").matches) {
    element.addEventListener("pointerenter", () => show(element));
    element.addEventListener("pointerleave", () => show(chosen));
  }
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(element === chosen ? null : element);
  });
}
byId("close").addEventListener("click", () => choose(null));
