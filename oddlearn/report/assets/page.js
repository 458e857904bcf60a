// The page as a whole: keys, themes, and how it begins.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  choose(null);
  clear();
});

const night = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (night.matches ? "dark" : "light")) === "dark";
const nameTheme = () => { byId("theme").textContent = isDark() ? "Light" : "Dark"; };
byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
night.addEventListener("change", nameTheme);

// the size of the diagram: it fits the window until a reader chooses another
let zoom = null;
function fittingScale() {
  const { width, height } = diagram.viewBox.baseVal;
  const style = getComputedStyle(byId("canvas"));
  const room = byId("canvas").clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const below = innerHeight - Math.min(300, byId("canvas").getBoundingClientRect().top + scrollY) - 36;
  return Math.min(1, room / width, Math.max(320, below) / height);
}
function resize() {
  const scale = zoom ?? fittingScale();
  diagram.style.width = `${diagram.viewBox.baseVal.width * scale}px`;
  diagram.style.height = `${diagram.viewBox.baseVal.height * scale}px`;
  byId("fit").setAttribute("aria-pressed", String(zoom === null));
  byId("actual").setAttribute("aria-pressed", String(zoom === 1));
}
function setZoom(scale) {
  zoom = scale === null ? null : Math.min(4, Math.max(0.1, scale));
  resize();
  bring(chosen ?? diagram.querySelector("[data-node], [data-end]"));
}
byId("fit").addEventListener("click", () => setZoom(null));
byId("actual").addEventListener("click", () => setZoom(1));
byId("larger").addEventListener("click", () => setZoom((zoom ?? fittingScale()) * 1.25));
byId("smaller").addEventListener("click", () => setZoom((zoom ?? fittingScale()) / 1.25));

function startForm() {
  const starts = [];
  for (const { features, start } of fields) {
    features.forEach((feature, place) => { starts[feature] = start ? start[place] : ""; });
  }
  fillForm((feature) => starts[feature]);
  byId("picker").hidden = !data.rows.length && !data.testRows.length;
  byId("sets").hidden = !data.rows.length || !data.testRows.length;
  if (!data.rows.length && data.testRows.length) document.querySelector('[name=set][value="testRows"]').checked = true;
  listRows();
}

for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
nameTheme();
show(null);
startForm();
resize();
bring(diagram.querySelector("[data-node], [data-end]"));
addEventListener("resize", resize);
