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

function fit(fits) {
  byId("canvas").classList.toggle("fit", fits);
  byId("fit").setAttribute("aria-pressed", String(fits));
}
byId("fit").addEventListener("click", () => fit(byId("fit").getAttribute("aria-pressed") === "false"));

function startForm() {
  const starts = [];
  for (const { features, start } of fields) {
    features.forEach((feature, place) => { starts[feature] = start ? start[place] : ""; });
  }
  fillForm((feature) => starts[feature]);
  byId("picker").hidden = !data.rows.length;
  byId("wrong-label").hidden = !data.rows.some(([, truth, predicted]) => truth !== null && truth !== predicted);
  listRows();
}

// a little smaller is better than a little too wide, much smaller is not
function sizeDiagram() {
  const tooWide = diagram.viewBox.baseVal.width / byId("canvas").clientWidth;
  byId("fit").hidden = tooWide <= 1;
  fit(tooWide > 1 && tooWide <= 1.25);
}

for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
nameTheme();
show(null);
startForm();
sizeDiagram();
bring(diagram.querySelector("[data-node], [data-end]"));
addEventListener("resize", sizeDiagram);
