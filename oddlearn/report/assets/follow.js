// A sample on its way through the diagram: typed into the form, or picked from the rows in this file.
const fields = data.fields.map((field, place) => ({ ...field, entry: byId(`field-${place}`) }));

// the values of a field's features; null if it holds no number and may not be empty, which is missing
function readField({ entry, options, features, missing, kind }) {
  const typed = entry.value;
  if (options.length) return typed === "" ? null : options[Number(typed)];
  if (typed === "") return entry.validity.badInput ? null : missing;
  const number = entryNumber(kind, typed);
  return Number.isNaN(number) ? null : features.map((feature, place) => (place ? 0 : number));
}

function readForm() {
  const values = [];
  for (const field of fields) {
    const entered = readField(field);
    if (!entered) return null;
    field.features.forEach((feature, place) => { values[feature] = entered[place]; });
  }
  return values;
}

function fillForm(valueOf) {
  for (const field of fields) {
    const wanted = field.features.map(valueOf);
    const same = (option) => option.every((value, place) => value === wanted[place]);
    const typed = field.missing && same(field.missing) ? "" : entryText(field.kind, wanted[0]);
    field.entry.value = field.options.length ? String(field.options.findIndex(same)) : typed;
  }
}

// as few digits as show on which side of the threshold the sum lies
function shownSum(key, threshold) {
  for (let digits = 6; digits < 17; digits += 1) {
    const short = Number(key.toPrecision(digits));
    if (short >= threshold === key >= threshold && (short === threshold) === (key === threshold)) return short;
  }
  return key;
}

function stepText({ node: place, key, side }, values) {
  const node = data.nodes[place];
  const answer = side ? "yes" : "no";
  if (!node.terms.length && node.features.length) {
    const field = fields.find(({ features }) => features.includes(node.features[0]));
    const here = field.options.length ? "" : ` (it is ${entryText(field.kind, values[node.features[0]] ?? null) || "missing"})`;
    return `${answer}, ${node.exact[side]}${here}`;
  }
  const total = node.sign * shownSum(key, node.threshold);
  return `${answer}, the exact sum is ${total} ${node.comparison[side]} ${node.sign * node.threshold}`;
}

function light(steps, arc) {
  for (const element of diagram.querySelectorAll(".lit")) element.classList.remove("lit");
  const lit = (query) => diagram.querySelector(query)?.classList.add("lit");
  diagram.classList.add("following");
  for (const step of steps) {
    lit(`[data-node="${step.node}"]`);
    lit(`[data-arc="${2 * step.node + step.side}"]`);
  }
  lit(`[data-end="${arc}"]`);
  bring(diagram.querySelector(`[data-end="${arc}"]`));
}

// scroll the diagram sideways, and nothing else, until a part of it is in sight
function bring(element) {
  const canvas = byId("canvas");
  const [frame, box] = [canvas.getBoundingClientRect(), element.getBoundingClientRect()];
  if (box.left < frame.left || box.right > frame.right) {
    canvas.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
  }
}

function judged(code, truth) {
  if (truth === null) return [];
  if (truth === code) return [make("p", "Correct: this is its class.")];
  return [make("p", `Wrong: its class is ${data.classes[truth]}.`, "failed")];
}

// show where the sample in the form goes; its class is known when it was picked
function follow(truth = null) {
  const values = readForm();
  const result = byId("result");
  if (!values) {
    unlight();
    result.replaceChildren(make("p", "Fill in every field with a number.", "failed"));
    return;
  }
  const { steps, arc } = trace(values);
  const { class: code, probabilities } = data.ends[arc];
  const list = make("ol", "", "steps");
  for (const step of steps) list.append(make("li", `Node ${step.node}: ${stepText(step, values)}`));
  const verdict = make("p", `${data.classes[code]}, ${percent(probabilities[code])}`, "verdict");
  const shares = mix(probabilities, (other) => percent(probabilities[other]));
  result.dataset.predicted = data.classes[code];
  result.replaceChildren(verdict, ...judged(code, truth), list, shares);
  const asked = new Set(steps.flatMap((step) => data.nodes[step.node].features));
  for (const field of fields) {
    field.entry.parentElement.classList.toggle("asked", field.features.some((feature) => asked.has(feature)));
  }
  choose(null); // on a phone the sheet of details would hide the path
  light(steps, arc);
  byId("follow").classList.add("active");
  byId("clear").hidden = false;
}

function unlight() {
  diagram.classList.remove("following");
  for (const element of document.querySelectorAll(".lit, .asked")) element.classList.remove("lit", "asked");
  byId("follow").classList.remove("active");
  byId("result").replaceChildren();
  delete byId("result").dataset.predicted;
  byId("clear").hidden = true;
}

function clear() {
  unlight();
  byId("row").value = "";
}

byId("form").addEventListener("submit", (event) => { event.preventDefault(); follow(); });
byId("clear").addEventListener("click", clear);
for (const { entry } of fields) {
  entry.addEventListener("input", () => { byId("row").value = ""; follow(); });
}

function rowText([name, truth, predicted]) {
  if (truth === null) return `${name}: predicted ${data.classes[predicted]}`;
  const wrong = truth === predicted ? "" : `, predicted ${data.classes[predicted]}`;
  return `${name}: ${data.classes[truth]}${wrong}`;
}

// the rows of the set that is chosen: those shown, or the test rows
const pickable = () => data[document.querySelector("[name=set]:checked").value];

function listRows() {
  const rows = pickable();
  byId("wrong-label").hidden = !rows.some(([, truth, predicted]) => truth !== null && truth !== predicted);
  const onlyWrong = byId("wrong").checked && !byId("wrong-label").hidden;
  const options = [new Option("choose …", "")];
  rows.forEach((row, place) => {
    if (!onlyWrong || row[1] !== row[2]) options.push(new Option(rowText(row), String(place)));
  });
  byId("row").replaceChildren(...options);
}

function pick() {
  if (byId("row").value === "") { unlight(); return; }
  const [, truth, , values] = pickable()[Number(byId("row").value)];
  fillForm((feature) => values[feature]);
  follow(truth);
}

function step(by) {
  const list = byId("row");
  const count = list.options.length - 1;
  const at = list.selectedIndex; // 0 while nothing is picked
  if (!count) return;
  if (by > 0) list.selectedIndex = at < count ? at + 1 : 1;
  else list.selectedIndex = at > 1 ? at - 1 : count;
  pick();
}

byId("row").addEventListener("change", pick);
for (const element of [byId("wrong"), ...document.querySelectorAll("[name=set]")]) {
  element.addEventListener("change", () => { listRows(); clear(); });
}
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
