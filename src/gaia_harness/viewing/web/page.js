// The page of one run: its table of tasks, its findings, and one task at a time, by what stands behind the #.

const MOST_ROWS = 5000, MOST_FINDINGS = 50;
Object.assign(state, { rows: [], shown: [], current: null, task: null });

// ---- the table

const worst = (task) => Math.min(...(task.findings || []).map((n) => SEVERITIES.indexOf(index.findings[n - 1].severity)), 9);
const time = (task) => (known(task.ms) ? duration(task.ms) : "");

const COLUMNS = [
  ["Outcome", outcome, "", (task) => {
    const said = outcome(task);
    const plain = ["right", "wrong", "error"].includes(said) ? said : "other";
    return el("span", { class: "outcome " + plain }, `${GLYPHS[said]} ${said}${task.not_counted ? ", not counted" : ""}`);
  }],
  ["Task", (task) => task.place, "q words", (task) => [
    own(short(task.id), "a", { href: link({ task: task.id }), title: task.id }),
    own(task.now || task.question || "", "span", { class: "one own" })]],
  ["Level", (task) => task.level ?? -1, "num", (task) => (known(task.level) ? String(task.level) : "")],
  ["Answer", (task) => task.answer ?? "", "words", (task) => own(task.answer ?? (task.error || ""), "span", { class: "own" })],
  ["Turns", (task) => task.turns ?? -1, "num wide", (task) => (known(task.turns) ? String(task.turns) : "")],
  ["Time", (task) => task.ms ?? -1, "num wide", time],
  ["Cost", (task) => task.cost ?? -1, "num wide", (task) => (known(task.cost) ? money(task.cost) : "")],
  ["Tools", (task) => (task.tools || []).length, "wide", (task) => own((task.tools || []).join(", "), "span", { class: "own small" })],
  ["Findings", (task) => -worst(task), "", (task) => {
    const count = (task.findings || []).length;
    return count ? severity(SEVERITIES[worst(task)], count > 1 ? ` ${count}` : "") : "";
  }],
];

function buildTable() {
  const heads = find(".tasks thead tr");
  COLUMNS.forEach(([name, , kind]) => {
    const pressed = () => {
      const now = where();
      const [column, way] = (now.get("sort") || "").split(".");
      now.set("sort", column === name && way !== "down" ? name + ".down" : name);
      location.hash = now;
    };
    heads.append(el("th", { scope: "col", class: kind.replace("q words", "").replace("words", "") || null, "data-name": name }, el("button", { type: "button", on: { click: pressed } }, name)));
  });
  const levels = new Set(), tools = new Set();
  index.tasks.forEach((task, place) => {
    task.place = place;
    if (known(task.level)) levels.add(task.level);
    (task.tools || []).forEach((tool) => tools.add(tool));
    const rules = (task.findings || []).map((n) => index.findings[n - 1].check + " " + index.findings[n - 1].rule);
    const text = [task.id, task.question, task.answer, task.error, ...(task.tools || []), ...rules].join("\n").toLowerCase();
    state.rows.push({ task, text, row: null });
  });
  const form = find(".filters");
  [...levels].sort((a, b) => a - b).forEach((level) => form.level.append(el("option", {}, String(level))));
  [...tools].sort().forEach((tool) => form.tool.append(own(tool, "option", { value: tool })));
  const changed = () => {
    const now = where();
    for (const name of ["outcome", "level", "tool", "q"]) form[name].value ? now.set(name, form[name].value) : now.delete(name);
    form.flagged.checked ? now.set("flagged", "1") : now.delete("flagged");
    history.replaceState(history.state, "", "#" + now);
    refresh();
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
}

function rowOf(entry) {
  if (!entry.row) {
    const cells = COLUMNS.map(([, , kind, draw]) => el("td", { class: kind || null }, draw(entry.task)));
    entry.row = el("tr", { on: { click: (event) => { if (!event.target.closest("a")) open({ task: entry.task.id }); } } }, cells);
  }
  return entry.row;
}

const open = (parameters) => { location.hash = link(parameters); };

function arrange(now) {
  // which tasks are shown, in which order
  const words = (now.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
  state.shown = state.rows.filter(({ task, text }) => {
    const said = outcome(task), wanted = now.get("outcome");
    if (wanted === "unfinished" ? !["running", "interrupted", "open"].includes(said) : wanted && said !== wanted) return false;
    if (now.get("level") && String(task.level) !== now.get("level")) return false;
    if (now.get("tool") && !(task.tools || []).includes(now.get("tool"))) return false;
    if (now.has("flagged") && !(task.findings || []).length) return false;
    return words.every((word) => text.includes(word));
  });
  const [name, way] = (now.get("sort") || "").split(".");
  const column = COLUMNS.find(([title]) => title === name);
  if (column) {
    const value = column[1], sign = way === "down" ? -1 : 1;
    state.shown.sort((one, two) => {
      const a = value(one.task), b = value(two.task);
      return sign * (a < b ? -1 : a > b ? 1 : 0) || one.task.place - two.task.place;
    });
  }
}

function refresh() {
  const now = where(), form = find(".filters");
  for (const name of ["outcome", "level", "tool", "q"]) if (form[name].value !== (now.get(name) || "")) form[name].value = now.get(name) || "";
  form.flagged.checked = now.has("flagged");
  arrange(now);
  const [name, way] = (now.get("sort") || "").split(".");
  document.querySelectorAll(".tasks th").forEach((head) => {
    if (head.dataset.name === name) head.setAttribute("aria-sort", way === "down" ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  find(".tasks tbody").replaceChildren(...state.shown.slice(0, MOST_ROWS).map(rowOf));
  const some = state.shown.length > MOST_ROWS ? `; the first ${number(MOST_ROWS)} are shown` : "";
  find(".count").textContent = (state.shown.length === state.rows.length ? counted(state.rows.length, "task") : `${number(state.shown.length)} of ${counted(state.rows.length, "task")}`) + some;
}

function select(entry) {
  if (state.current && state.current.row) state.current.row.classList.remove("on");
  state.current = entry;
  if (!entry) return;
  rowOf(entry).classList.add("on");
  find("a", entry.row).focus({ preventScroll: true });
  entry.row.scrollIntoView({ block: "nearest" });
}

// ---- the list of findings

function buildFindings() {
  if (!index.findings.length) return;
  const section = find("#findings");
  section.hidden = false;
  const list = find("ol", section), quiet = find("#quiet ol");
  const draw = (finding, into) => {
    const place = finding.task === undefined ? null : el("a", { href: link({ task: finding.task, finding: finding.number }) },
      own(short(finding.task)), known(finding.seq) ? `, step ${finding.seq}` : "");
    into.append(el("li", { id: "finding-" + finding.number, value: finding.number },
      el("span", { class: "small" }, `${finding.number} · `, place || "the run as a whole", " "), findingBody(finding)));
  };
  const loud = index.findings.filter((finding) => SEVERITIES.indexOf(finding.severity) < 3);
  const others = index.findings.filter((finding) => SEVERITIES.indexOf(finding.severity) >= 3);
  loud.slice(0, MOST_FINDINGS).forEach((finding) => draw(finding, list));
  if (loud.length > MOST_FINDINGS) {
    const more = button(`Show all ${number(loud.length)}`, () => { more.remove(); loud.slice(MOST_FINDINGS).forEach((finding) => draw(finding, list)); });
    list.after(more);
    state.moreFindings = () => more.isConnected && more.click();
  }
  find("#quiet").hidden = !others.length;
  find("#quiet summary").textContent = `${counted(others.length, "finding")} of low severity, or for your information`;
  others.forEach((finding) => draw(finding, quiet));
  const rules = find("#rules dl");
  (index.rules || []).forEach((rule) => rules.append(
    el("dt", { id: "rule-" + rule.check + ":" + rule.name }, rule.check + " " + rule.name),
    el("dd", {}, rule.means), el("dd", { class: "small" }, "A sign: ", rule.sign), el("dd", { class: "small" }, "Honest work: ", rule.honest)));
  if (!(index.rules || []).length) find("#rules").hidden = true;
}

// ---- one task

function drawTask(task) {
  const article = find("#task"), line = task.line;
  const findings = (line.findings || []).map((n) => index.findings[n - 1]);
  const order = state.shown.length ? state.shown : state.rows;
  const at = order.findIndex((entry) => entry.task.id === line.id);
  const near = (step, said) => (order[at + step] && at >= 0 ? el("a", { href: link({ task: order[at + step].task.id }), "data-go": step }, said) : null);
  const links = el("input", { type: "checkbox", checked: state.links ? true : null, on: { change: (event) => { state.links = event.target.checked; state.task = null; route(); } } });
  const back = where();
  ["task", "step", "finding", "attempt"].forEach((name) => back.delete(name));
  article.replaceChildren(
    el("nav", { class: "crumbs", "aria-label": "Tasks" }, el("a", { href: "#" + back, "data-go": "back" }, "← all tasks"), near(-1, "previous"), near(1, "next"), el("span", { class: "spacer" }),
      el("label", { class: "small" }, links, " make addresses clickable")),
    taskHead(task, findings), pagesOf(task) || "");
  state.drawTo = timeline(task, findings, article);
}

function goTo(target) {
  if (!target) return;
  document.querySelectorAll(".here").forEach((old) => old.classList.remove("here"));
  target.classList.add("here");
  for (let box = target.parentElement; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
  target.scrollIntoView({ block: "start" });
  if (target.tabIndex >= -1) target.focus({ preventScroll: true });
}

async function showTask(now) {
  const entry = state.rows.find(({ task }) => task.id === now.get("task"));
  const article = find("#task");
  if (!entry) {
    article.replaceChildren(el("p", { class: "verdict bad" }, "There is no task ", own(now.get("task")), " here."), el("a", { href: "#" }, "all tasks"));
    state.task = null;
    return;
  }
  if (state.task !== entry.task.id) {
    state.task = entry.task.id;
    const task = await unpack("t" + entry.task.place);
    if (state.task !== entry.task.id) return;
    drawTask(task);
    document.title = `${short(entry.task.id)} · ${index.title}`;
  }
  const finding = now.has("finding") ? index.findings[Number(now.get("finding")) - 1] : null;
  const seq = now.has("step") ? now.get("step") : finding && known(finding.seq) ? finding.seq : null;
  if (seq !== null) {
    state.drawTo(Number(seq));
    const step = document.getElementById("step-" + seq);
    if (step && step.openWhole) { await step.openWhole(); step.openWhole = null; }
    goTo(step);
    const mark = finding && document.getElementById("mark-" + finding.number);
    if (mark) mark.parentElement.scrollIntoView({ block: "center" });
  } else if (finding) goTo(document.getElementById("at-" + finding.number));
  else if (now.has("attempt")) goTo(document.getElementById("attempt-" + now.get("attempt")));
  else { window.scrollTo(0, 0); article.focus({ preventScroll: true }); }
  remember(entry);
}

function remember(entry) {
  if (state.current && state.current.row) state.current.row.classList.remove("on");
  state.current = entry;
  rowOf(entry).classList.add("on");
}

async function route() {
  const now = where(), overview = find("#overview"), article = find("#task");
  const wasOpen = !article.hidden;
  const onTask = now.has("task");
  onTask ? arrange(now) : refresh();
  overview.hidden = onTask;
  article.hidden = !onTask;
  if (onTask) await showTask(now);
  else {
    state.task = null;
    document.title = index.title;
    if (now.has("list")) {
      if (state.moreFindings && !document.getElementById("finding-" + now.get("list"))) state.moreFindings();
      goTo(document.getElementById("finding-" + now.get("list")));
    } else if (now.has("rule")) {
      find("#rules").open = true;
      goTo(document.getElementById("rule-" + now.get("rule")));
    } else if (wasOpen && state.current && state.current.row.isConnected) select(state.current);
  }
  document.body.dataset.ready = location.hash || "#";
  performance.mark("ready");
}

function keyboard(event) {
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onTask = !find("#task").hidden;
  if (event.key === "Escape") {
    if (typing && event.target.value && event.target.name === "q") { event.target.value = ""; event.target.dispatchEvent(new Event("input", { bubbles: true })); }
    else if (typing) event.target.blur();
    else if (onTask) find("[data-go=back]").click();
    return;
  }
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    if (onTask) { location.hash = find("[data-go=back]").hash; setTimeout(() => find(".filters").q.focus()); }
    else find(".filters").q.focus();
  } else if (event.key === "j" || event.key === "k") {
    event.preventDefault();
    const step = event.key === "j" ? 1 : -1;
    if (onTask) {
      const steps = [...document.querySelectorAll("#task .step")];
      const at = steps.findIndex((one) => one.classList.contains("here"));
      goTo(steps[at < 0 ? (step > 0 ? 0 : steps.length - 1) : Math.max(0, Math.min(steps.length - 1, at + step))]);
    } else if (state.shown.length) {
      const at = state.shown.indexOf(state.current);
      select(state.shown[at < 0 ? 0 : Math.max(0, Math.min(state.shown.length - 1, at + step))]);
    }
  } else if ((event.key === "n" || event.key === "p") && onTask) {
    const near = find(`[data-go="${event.key === "n" ? 1 : -1}"]`);
    if (near) near.click();
  } else if (event.key === "Enter" && !onTask && state.current && event.target === document.body) open({ task: state.current.task.id });
}

async function begin() {
  index = await unpack("index");
  index.findings = index.findings || [];
  buildTable();
  buildFindings();
  if (!location.hash && index.start) history.replaceState(null, "", "#" + new URLSearchParams(index.start));
  addEventListener("hashchange", route);
  document.addEventListener("keydown", keyboard);
  await route();
  if (history.state && history.state.y) window.scrollTo(0, history.state.y);
  if (index.live) setTimeout(() => { history.replaceState({ y: window.scrollY }, ""); location.reload(); }, 1000 * index.live);
}
begin();
