// What the page knows, and the classifier itself.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

// the side of a node; a value that is missing is null, and a threshold of null asks whether it is
function sideOf(node, key) {
  if (node.missing !== null && Number.isNaN(key)) return node.missing;
  if (node.threshold === null) return 1 - node.missing;
  return key >= node.threshold ? 1 : 0;
}

// the terms are added in the order in which predict adds them, so that ties fall alike
function trace(values) {
  const steps = [];
  let place = 0;
  while (place < data.nodes.length) {
    const node = data.nodes[place];
    let key = 0;
    node.features.forEach((feature, term) => { key += node.weights[term] * (values[feature] ?? NaN); });
    const side = sideOf(node, key);
    steps.push({ node: place, key, side });
    place = node.targets[side];
  }
  const last = steps[steps.length - 1];
  return { steps, arc: last ? 2 * last.node + last.side : 0 };
}

// text only ever enters the page as text: names of features and classes are never read as HTML
function make(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

const number = (value) =>
  Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(4)));
const sum = (values) => values.reduce((total, value) => total + value, 0);

function percent(share) {
  const shown = (100 * share).toFixed(1);
  if (shown === "100.0" && share < 1) return "> 99.9 %";
  if (shown === "0.0" && share > 0) return "< 0.1 %";
  return `${shown} %`;
}
