"use strict";
// Shows the tasks of the page. Everything that was recorded becomes text nodes, never markup.
(() => {
  const FOLD = 1200, FOLD_LINES = 14, MORE = 256 * 1024, DEEPEST = 8, BRIEF = 160, MARKED = 320;
  const SEVERITIES = ["critical", "high", "medium", "low", "info"];
  const find = (selector, root = document) => root.querySelector(selector);
  const state = { rows: [], shown: [], current: null, links: false, task: null };
  let index;

  // ---- elements and texts

  function el(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
      else made.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== "") made.append(child);
    return made;
  }

  const UNSEEN = /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0\u{e0100}-\u{e01ef}]|[\ufe0e\ufe0f](?=[\ufe00-\ufe0f]))+/gu;

  function put(into, text) {
    // signs that cannot be seen are named; the text itself stays as it was written
    let at = 0;
    for (const found of text.matchAll(UNSEEN)) {
      if (found.index > at) into.append(text.slice(at, found.index));
      const signs = Array.from(found[0]);
      const named = signs.slice(0, 6).map((sign) => "U+" + sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0"));
      const more = signs.length > 6 ? ` and ${signs.length - 6} more` : "";
      into.append(el("span", { class: "unseen", "data-sign": named.join(" ") + more }, found[0]));
      at = found.index + found[0].length;
    }
    if (at < text.length) into.append(text.slice(at));
    return into;
  }

  const own = (text, tag = "bdi", attributes = {}) => put(el(tag, attributes), text);
  const button = (said, pressed, attributes = {}) => el("button", { type: "button", class: "plain", ...attributes, on: { click: pressed } }, said);

  // ---- figures in words

  const number = (value) => value.toLocaleString("en-US");
  function size(bytes) {
    if (bytes < 1024) return `${bytes} byte${bytes === 1 ? "" : "s"}`;
    const kib = bytes / 1024;
    return kib < 1024 ? `${kib < 10 ? kib.toFixed(1) : Math.round(kib)} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
  }
  function duration(ms) {
    if (ms < 1000) return `${ms} ms`;
    if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
    return `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
  }
  const money = (dollars) => "$" + (dollars && dollars < 0.01 ? dollars.toFixed(4) : dollars.toFixed(2));
  const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
  const known = (value) => value !== undefined && value !== null;

  // ---- data of the page

  async function unpack(id) {
    let block = document.getElementById(id);
    if (!block && document.readyState === "loading") {
      await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
      block = document.getElementById(id);
    }
    if (!block) return null;
    const packed = Uint8Array.from(atob(block.textContent.trim()), (sign) => sign.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // SHA-256 (FIPS 180-4). The browser's own is not there for every page from disk.
  const ROUNDS = (() => {
    const found = [];
    for (let n = 2; found.length < 64; n++) {
      let prime = true;
      for (let d = 2; d * d <= n; d++) if (n % d === 0) { prime = false; break; }
      if (prime) found.push(n);
    }
    return found;
  })();
  const fraction = (value) => ((value - Math.floor(value)) * 4294967296) | 0;
  const K = Int32Array.from(ROUNDS, (prime) => fraction(Math.cbrt(prime)));
  const START = ROUNDS.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

  function sha256(text) {
    const data = new TextEncoder().encode(text);
    const length = data.length;
    const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6);
    padded.set(data);
    padded[length] = 0x80;
    const view = new DataView(padded.buffer);
    view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
    view.setUint32(padded.length - 4, (length << 3) >>> 0);
    const h = Int32Array.from(START), w = new Int32Array(64);
    const turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let at = 0; at < padded.length; at += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
      for (let i = 16; i < 64; i++) {
        const a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
      }
      let [a, b, c, d, e, f, g, i] = h;
      for (let r = 0; r < 64; r++) {
        const one = (i + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[r] + w[r]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        i = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
      }
      [a, b, c, d, e, f, g, i].forEach((value, place) => { h[place] = (h[place] + value) | 0; });
    }
    return Array.from(h, (value) => (value >>> 0).toString(16).padStart(8, "0")).join("");
  }

  // ---- where the page is: all of it stands behind the #, so that a link opens it there

  const where = () => new URLSearchParams(location.hash.slice(1));
  function link(parameters) {
    const kept = where();
    for (const name of ["task", "step", "finding", "list", "rule", "attempt"]) kept.delete(name);
    for (const [name, value] of Object.entries(parameters)) kept.set(name, value);
    return "#" + kept;
  }

  // ---- the table

  const outcome = (task) =>
    task.state && task.state !== "done" ? task.state : task.error ? "error" : !known(task.correct) ? "not scored" : task.correct ? "right" : "wrong";
  const GLYPHS = { right: "✓", wrong: "✗", error: "!", running: "…", interrupted: "–", open: "·", "not scored": "?" };
  const worst = (task) => Math.min(...(task.findings || []).map((n) => SEVERITIES.indexOf(index.findings[n - 1].severity)), 9);
  const short = (id) => (id.length > 20 ? id.slice(0, 8) : id);
  const time = (task) => (known(task.ms) ? duration(task.ms) : "");

  const COLUMNS = [
    ["Outcome", outcome, "", (task) => {
      const said = outcome(task);
      const plain = ["right", "wrong", "error"].includes(said) ? said : "other";
      return el("span", { class: "outcome " + plain }, `${GLYPHS[said]} ${said}${task.not_counted ? ", not counted" : ""}`);
    }],
    ["Task", (task) => task.place, "q words", (task) => [
      own(short(task.id), "a", { href: link({ task: task.id }), title: task.id }),
      own(task.question || "", "span", { class: "one own" })]],
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

  function severity(name, more = "") {
    return el("span", { class: "sev " + name }, name + more);
  }

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
    find(".tasks tbody").replaceChildren(...state.shown.map(rowOf));
    find(".count").textContent = state.shown.length === state.rows.length ? counted(state.rows.length, "task") : `${number(state.shown.length)} of ${counted(state.rows.length, "task")}`;
  }

  function select(entry) {
    if (state.current && state.current.row) state.current.row.classList.remove("on");
    state.current = entry;
    if (!entry) return;
    rowOf(entry).classList.add("on");
    find("a", entry.row).focus({ preventScroll: true });
    entry.row.scrollIntoView({ block: "nearest" });
  }

  // ---- findings

  function ruleLink(finding) {
    const explained = (index.rules || []).some((rule) => rule.check === finding.check && rule.name === finding.rule);
    const said = finding.check + " " + finding.rule;
    return explained ? own(said, "a", { href: link({ rule: finding.check + ":" + finding.rule }), title: "what this rule means" }) : own(said);
  }

  function findingBody(finding) {
    return [
      el("span", {}, severity(finding.severity), " ", ruleLink(finding)),
      own(finding.summary, "p", { class: "own" }),
      finding.excerpt ? own(finding.excerpt, "p", { class: "excerpt own" }) : null,
      finding.view ? el("p", { class: "small" }, "read as ", own(finding.view)) : null,
      finding.waived ? own(finding.waived, "p", { class: "small own" }) : null,
    ];
  }

  function buildFindings() {
    if (!index.findings.length) return;
    const section = find("#findings");
    section.hidden = false;
    const list = find("ol", section);
    const some = index.findings.length > 60;
    const draw = (from, to) => index.findings.slice(from, to).forEach((finding) => {
      const place = finding.task === undefined ? null : el("a", { href: link({ task: finding.task, finding: finding.number }) },
        own(short(finding.task)), known(finding.seq) ? `, step ${finding.seq}` : "");
      list.append(el("li", { id: "finding-" + finding.number, value: finding.number },
        el("span", { class: "small" }, `${finding.number} · `, place || "the run as a whole", " "), findingBody(finding)));
    });
    draw(0, some ? 50 : undefined);
    if (some) {
      const more = button(`Show all ${number(index.findings.length)}`, () => { more.remove(); draw(50); });
      list.after(more);
      state.moreFindings = () => more.isConnected && more.click();
    }
    const rules = find("#rules dl");
    (index.rules || []).forEach((rule) => rules.append(
      el("dt", { id: "rule-" + rule.check + ":" + rule.name }, rule.check + " " + rule.name),
      el("dd", {}, rule.means), el("dd", { class: "small" }, "A sign: ", rule.sign), el("dd", { class: "small" }, "Honest work: ", rule.honest)));
    if (!(index.rules || []).length) find("#rules").hidden = true;
  }

  // ---- one text

  function placeOf(text, bytes) {
    // where a place in bytes is among the characters
    let at = 0, seen = 0;
    for (const sign of text) {
      if (seen >= bytes) break;
      const code = sign.codePointAt(0);
      seen += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      at += sign.length;
    }
    return at;
  }

  function marksIn(text, findings, begin = 0) {
    const marks = [];
    for (const finding of findings) {
      if (!known(finding.offset) || finding.offset < begin) continue;
      const start = placeOf(text, finding.offset - begin);
      if (start >= text.length) continue;
      const line = text.indexOf("\n", start + 1);
      const end = Math.min(line < 0 ? text.length : line, start + MARKED);
      const last = marks.find((mark) => start < mark.end && end > mark.start);
      if (last) { last.start = Math.min(start, last.start); last.end = Math.max(last.end, end); last.numbers.push(finding.number); }
      else marks.push({ start, end, numbers: [finding.number] });
    }
    return marks.sort((one, two) => one.start - two.start);
  }

  function putMarked(into, text, from, to, marks) {
    let at = from;
    for (const mark of marks) {
      const start = Math.max(mark.start, from), end = Math.min(mark.end, to);
      if (start >= end) continue;
      put(into, text.slice(at, start));
      const marked = put(el("mark"), text.slice(start, end));
      into.append(marked);
      marked.append(...mark.numbers.map((n) => el("a", { href: link({ list: n }), id: "mark-" + n, "aria-label": `finding ${n}`, "data-number": n })));
      at = end;
    }
    if (at < to) put(into, text.slice(at, to));
  }

  const PICTURE = /data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]{64,}={0,2})/g;

  function pictures(text) {
    const found = [...text.matchAll(PICTURE)].slice(0, 20);
    if (!found.length) return null;
    const shown = button(`Show ${counted(found.length, "picture")}`, () => shown.replaceWith(...found.map((one) => el("img", { class: "kept", alt: "a picture that was kept", src: `data:${one[1]};base64,${one[2]}` }))));
    return shown;
  }

  function textBlock(words, findings = [], fold = FOLD) {
    const block = el("div", { class: "t" });
    const meta = el("p", { class: "tmeta" });
    if (index.redacted) {
      meta.append(el("span", {}, size(words.bytes || 0) + ", left out"), hashOf(words));
      block.append(meta);
      return block;
    }
    const pre = el("pre", { class: "words" });
    const show = (text, whole) => {
      const marks = marksIn(text, findings);
      let end = text.length;
      const lines = text.slice(0, fold).split("\n", FOLD_LINES + 1);
      if (lines.length > FOLD_LINES) end = lines.slice(0, FOLD_LINES).join("\n").length;
      else if (end > fold * 1.25) end = fold;
      const wanted = Math.max(0, ...marks.map((mark) => mark.end));
      if (wanted > end && wanted <= MORE) end = Math.min(text.length, wanted + 400);
      pre.replaceChildren();
      block.querySelectorAll("button.fold, .deep").forEach((old) => old.remove());
      let at = 0;
      const go = (to) => { putMarked(pre, text, at, to, marks); at = to; };
      go(end);
      if (at < text.length) {
        const rest = text.length;
        const label = () => (rest - at <= MORE ? `Show all of it (${number(rest)} characters)` : `Show ${size(MORE)} more of ${size(rest)}`);
        const more = button(label(), () => { go(Math.min(rest, at + MORE)); at < rest ? (more.textContent = label()) : more.remove(); pre.focus(); }, { class: "plain fold" });
        pre.after(more);
      }
      if (pre.textContent.length > 200) pre.tabIndex = 0;
      const shown = pictures(text);
      if (shown) block.append(shown);
      check(text, whole);
    };
    const said = el("span"), checked = el("span");
    const check = (text, whole) => {
      said.textContent = whole ? size(words.bytes || 0) : words.cut ? `${size(new TextEncoder().encode(text).length)} of ${size(words.bytes)} kept` : size(words.bytes || 0);
      let result = "", sound = "";
      if (words.cut && !whole) result = "";
      else if (words.masked || (whole && words.exact === false)) result = "not as it was: its hash cannot be checked";
      else if (text.includes("\ufffd")) result = "had bytes that are no text: its hash cannot be checked";
      else { sound = sha256(text) === words.sha256 ? "ok" : "no"; result = sound === "ok" ? "✓ hash holds" : "✗ does not have the hash that the step says"; }
      checked.className = "checked " + sound;
      checked.textContent = result;
    };
    meta.append(said, words.masked ? el("span", {}, counted(words.masked, "secret") + " masked") : "", hashOf(words), checked);
    block.append(pre, meta);
    if (words.whole) {
      const openWhole = button(`Open the whole text (${size(words.bytes)})`, async () => {
        const text = await unpack(words.whole);
        if (text !== null) { show(text, true); openWhole.remove(); }
      });
      meta.append(openWhole);
      const head = new TextEncoder().encode(words.head || "").length;
      if (findings.some((finding) => known(finding.offset) && finding.offset >= head)) block.openWhole = () => openWhole.click();
    } else if (words.missing) meta.append(own(words.missing, "span"));
    show(words.head || "", false);
    return block;
  }

  const hashOf = (words) => (words.sha256 ? el("span", { title: words.sha256 }, "sha256 ", own(words.sha256.slice(0, 12)), "…") : "");

  // ---- one task

  function address(url) {
    if (state.links && /^https?:\/\//i.test(url)) return own(url, "a", { href: url, class: "url", rel: "noopener noreferrer", target: "_blank" });
    return own(url, "span", { class: "url" });
  }

  const KINDS = { prompt: "Prompt", model: "Model", call: "Call", result: "Result", answer: "Answer handed in" };

  function stepMeta(step) {
    const said = [];
    if (known(step.ms)) said.push(duration(step.ms));
    if (known(step.tokens_in) || known(step.tokens_out)) said.push(`${known(step.tokens_in) ? number(step.tokens_in) : "?"} tokens in${known(step.tokens_cached) ? ` (${number(step.tokens_cached)} cached)` : ""}, ${known(step.tokens_out) ? number(step.tokens_out) : "?"} out`);
    if (step.stop) said.push("stopped: " + step.stop);
    if (step.failed) said.push("failed");
    if (step.cut_before) said.push("cut before it was recorded");
    return own(said.join(" · "), "span", { class: "meta own" });
  }

  function drawStep(step, findings, task) {
    const flagged = findings.length > 0;
    const head = el("div", { class: "shead" },
      el("a", { class: "no", href: link({ task: task.line.id, step: step.seq }), "aria-label": `step ${step.seq}` }, String(step.seq)),
      el("span", { class: "kind" }, KINDS[step.kind]), own(step.name || "", "span", { class: "name own" }), stepMeta(step),
      step.together ? el("span", { class: "together" }, `one of ${step.together} calls made at once`) : null,
      known(step.answers) ? el("a", { class: "meta", href: link({ task: task.line.id, step: step.answers }) }, `of step ${step.answers}`) : null);
    const body = el("div", { class: "body" });
    const inText = findings.filter((f) => ["output", "head", ""].includes(f.field || "") || (f.field || "").startsWith("prompt "));
    findings.forEach((f) => body.append(el("div", { class: "fnote " + f.severity, id: "at-" + f.number }, findingBody(f),
      el("p", { class: "small" }, el("a", { href: link({ list: f.number }) }, `finding ${f.number} in the list`)))));
    if (step.thoughts) body.append(el("details", { class: "thoughts" }, el("summary", {}, "Thoughts"), textBlock(step.thoughts)));
    const standing = step.kind === "prompt" && ["system", "tools"].includes(step.name);
    if (step.text && (step.text.bytes || step.kind !== "prompt")) {
      const block = textBlock(step.text, inText, standing ? 240 : FOLD);
      body.append(block);
      if (block.openWhole) body.openWhole = block.openWhole;
    } else if (step.text) head.append(el("span", { class: "meta" }, "a request with nothing new but tool results"));
    (step.args || []).forEach((arg) => {
      const field = "args." + arg.name;
      const marks = findings.filter((f) => f.field === field || (f.field === "args" && (step.args || []).length === 1));
      const brief = !index.redacted && !marks.length && arg.text.length <= BRIEF && !arg.text.includes("\n");
      const block = index.redacted ? el("p", { class: "small" }, "left out") : brief ? own(arg.text, "code", { class: "words" }) : textBlockPlain(arg.text, marks);
      body.append(el("div", { class: brief ? "arg brief" : "arg" }, own(arg.name || "arguments", "span", { class: "an" }), block, arg.cut ? el("p", { class: "small" }, "cut: more of it existed") : null));
    });
    if (step.args_sha256) head.append(el("span", { class: "meta", title: "of the arguments as they were written: " + step.args_sha256 }, "sha256 ", own(step.args_sha256.slice(0, 12)), "…"));
    const shown = step.text && !index.redacted ? new TextEncoder().encode(step.text.head || "").length : 0;
    const beyond = (step.windows || []).filter((part) => part.view || (part.offset || 0) + (part.bytes || 0) > shown);
    beyond.forEach((part) => body.append(el("details", { open: findings.length ? true : null },
      el("summary", {}, `Kept from byte ${number(part.offset || 0)} on: `, own(part.why || ""), part.view ? el("span", {}, ", read as ", own(part.view)) : ""),
      index.redacted ? el("p", { class: "small" }, size(part.bytes || 0) + ", left out") : textBlockPlain(part.text, part.view ? [] : findings, part.offset || 0))));
    if (step.sources) body.append(el("details", {}, el("summary", {}, counted(step.sources.length, "source")),
      el("ol", { class: "sources" }, step.sources.map((one) => el("li", {}, one.title ? own(one.title) : "", " ", address(one.url), el("span", { class: "small" }, ` ${size(one.bytes || 0)} from byte ${number(one.offset || 0)}`))))));
    if (step.scan) body.append(own("The scan found: " + step.scan.join(", "), "p", { class: "small own" }));
    (step.notes || []).forEach((note) => body.append(own(note, "p", { class: "small own" })));
    const item = el("li", { class: `step ${step.kind}${step.failed ? " failed" : ""}${flagged ? " flagged" : ""}`, id: "step-" + step.seq, tabindex: "-1" }, head, body);
    item.openWhole = body.openWhole;
    return item;
  }

  function textBlockPlain(text, findings, begin = 0) {
    // a text without a hash of its own: an argument, or a piece of an output
    const block = el("div", { class: "t" }), pre = el("pre", { class: "words" });
    const marks = marksIn(text, findings, begin);
    const end = text.length > FOLD * 1.25 && !marks.length ? FOLD : text.length;
    putMarked(pre, text, 0, end, marks);
    if (text.length > 200) pre.tabIndex = 0;
    block.append(pre);
    if (end < text.length) {
      const more = button(`Show all of it (${number(text.length)} characters)`, () => { put(pre, text.slice(end)); more.remove(); });
      block.append(more);
    }
    const shown = pictures(text);
    if (shown) block.append(shown);
    return block;
  }

  function covered(said, draw) {
    const hide = button(said, () => { hide.replaceWith(draw()); }, { "aria-expanded": "false" });
    return hide;
  }

  function pair(list, name, ...said) {
    list.append(el("dt", {}, name), el("dd", {}, ...said));
  }

  function taskHead(task, findings) {
    const line = task.line, list = el("dl");
    const said = outcome(line);
    const head = el("header", { class: "taskhead" }, el("h2", {}, "Task ", own(line.id)));
    if (index.redacted) head.append(el("p", { class: "small" }, "The question is left out."));
    else if (task.question) head.append(own(task.question, "p", { class: "question own" }), task.question_is_prompt ? el("p", { class: "small" }, "As the agent was given it: a package has no questions of its own.") : "");
    pair(list, "Outcome", el("span", { class: "outcome " + (["right", "wrong", "error"].includes(said) ? said : "other") }, `${GLYPHS[said]} ${said}`),
      known(line.level) ? `, level ${line.level}` : "", line.not_counted ? ", not counted as right in the audited score" : "");
    const onAnswer = findings.filter((f) => f.field === "answer" || f.field === "voting.answers");
    if (index.redacted) pair(list, "Answer", "left out");
    else if (known(task.answer)) {
      const answer = el("span", { class: "given own" });
      putMarked(answer, task.answer, 0, task.answer.length, marksIn(task.answer, onAnswer));
      pair(list, "Answer", answer);
    } else pair(list, "Answer", "none");
    if (known(task.expected)) pair(list, "Expected", covered("Show the expected answer", () => own(task.expected, "span", { class: "given own" })));
    if (line.error) pair(list, "Error", own(line.error));
    if (task.judge) pair(list, "Judge", own(task.judge.model), known(task.judge.verdict) ? (task.judge.verdict ? " says it is right" : " says it is wrong") : " gave no verdict", task.judge.cached ? ", from its cache" : "", "; a second opinion, never the score");
    const figures = [];
    if (known(line.turns)) figures.push(counted(line.turns, "turn"));
    if (known(line.ms)) figures.push(duration(line.ms));
    if (known(line.tokens_in)) figures.push(`${number(line.tokens_in)} tokens in, ${known(line.tokens_out) ? number(line.tokens_out) : "?"} out`);
    if (known(line.cost)) figures.push(money(line.cost));
    if (figures.length) pair(list, "Spent", figures.join(" · "));
    if ((line.tools || []).length) pair(list, "Tools", own(line.tools.join(", ")));
    head.append(list);
    if (task.fault) head.append(own(task.fault, "p", { class: "verdict bad own" }));
    const elsewhere = findings.filter((f) => !known(f.seq));
    elsewhere.forEach((f) => head.append(el("div", { class: "fnote " + f.severity, id: "at-" + f.number }, findingBody(f), el("p", { class: "small" }, el("a", { href: link({ list: f.number }) }, `finding ${f.number} in the list`)))));
    const attempts = task.attempts || [];
    if (attempts.length > 1 || (attempts[0] && !(task.steps || []).length)) {
      const rows = attempts.map((one) => el("tr", {}, el("td", {}, el("a", { href: link({ task: line.id, attempt: one.number }) }, String(one.number))),
        el("td", {}, one.has_answer ? (index.redacted ? "left out" : known(one.answer) ? own(one.answer) : "none") : ""),
        el("td", {}, one.selected ? "chosen" : one.interrupted ? "interrupted" : one.finished_at || one.has_answer ? "" : "not ended"), own(one.started_at || "", "td"), own(one.finished_at || "", "td")));
      head.append(el("h3", {}, "Attempts", task.cast > 1 ? `: ${task.votes} of ${task.cast} votes for the answer` : ""),
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Attempts" }, el("table", { class: "attempts" }, el("thead", {}, el("tr", {}, ["attempt", "answer", "state", "began", "ended"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))));
    }
    return head;
  }

  function pagesOf(task) {
    const seen = new Map();
    for (const step of task.steps || []) if (step.kind === "result" && (step.sources || []).length === 1) {
      const url = step.sources[0].url;
      if (!seen.has(url)) seen.set(url, []);
      seen.get(url).push(step.seq);
    }
    if (!seen.size) return null;
    return el("details", { open: index.boxed ? true : null }, el("summary", {}, counted(seen.size, "page") + " asked for"),
      el("ol", { class: "sources" }, [...seen].map(([url, seqs]) => el("li", {}, address(url), " ", seqs.slice(0, 10).map((seq) => [el("a", { class: "small", href: link({ task: task.line.id, step: seq }) }, `step ${seq}`), " "])))));
  }

  function drawTask(task) {
    const article = find("#task"), line = task.line;
    const findings = (line.findings || []).map((n) => index.findings[n - 1]);
    const bySeq = new Map();
    findings.forEach((f) => { if (known(f.seq)) bySeq.set(f.seq, [...(bySeq.get(f.seq) || []), f]); });
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
    const steps = task.steps || [];
    if (!steps.length) article.append(el("p", { class: "small" }, "Of this task no steps are recorded."));
    const several = new Set(steps.map((step) => step.attempt || 1)).size > 1;
    let list = null, attempt = null, turn = null;
    const inner = new Map(), depth = new Map();
    for (const step of steps) {
      const number = step.attempt || 1;
      if (number !== attempt) {
        attempt = number; turn = null;
        const told = (task.attempts || []).find((one) => one.number === number);
        article.append(el("h3", { id: "attempt-" + number }, several ? `Attempt ${number}${told && told.selected ? ", whose answer was chosen" : ""}` : "What happened", told && told.started_at ? own(`  ${told.started_at}${told.finished_at ? " to " + told.finished_at : ""}`, "span", { class: "small own" }) : ""));
        list = el("ol", { class: "steps" });
        article.append(list);
      }
      const item = drawStep(step, bySeq.get(step.seq) || [], task);
      inner.set(step.seq, item);
      const parent = known(step.parent) && step.parent !== step.seq ? inner.get(step.parent) : null;
      const deep = parent ? (depth.get(step.parent) || 0) + 1 : 0;
      depth.set(step.seq, deep);
      if (parent && deep <= DEEPEST) {
        let nested = parent.nested;
        if (!nested) {
          nested = parent.nested = el("ol", { class: "inner steps" }, el("li", { class: "agent" }, "sub-agent ", own(step.agent || "")));
          parent.append(nested);
        }
        nested.append(item);
        continue;
      }
      if ((step.turn || 1) !== turn) {
        turn = step.turn || 1;
        list.append(el("li", { class: "turn" }, `turn ${turn}`));
      }
      if (step.agent) item.firstChild.append(own(step.agent, "span", { class: "meta own" }));
      list.append(item);
    }
    const held = article.querySelectorAll(".checked.ok").length, broken = article.querySelectorAll(".checked.no").length;
    if (steps.length && !index.redacted) find("h3[id]", article).after(el("p", { class: broken ? "verdict bad" : "small", id: "hashes" },
      `Checked here: ${counted(held, "text")} with the hash that ${held === 1 ? "its step says" : "their steps say"}, ${broken} without. Texts that were cut are checked when their whole is opened.`));
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
      const step = document.getElementById("step-" + seq);
      if (step && step.openWhole) { step.openWhole(); step.openWhole = null; }
      goTo(step);
      const mark = finding && document.getElementById("mark-" + finding.number);
      if (mark) mark.parentElement.scrollIntoView({ block: "center" });
    } else if (finding) goTo(document.getElementById("at-" + finding.number));
    else if (now.has("attempt")) goTo(document.getElementById("attempt-" + now.get("attempt")));
    else { window.scrollTo(0, 0); article.focus({ preventScroll: true }); }
    select_quietly(entry);
  }

  function select_quietly(entry) {
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
        if (state.moreFindings && Number(now.get("list")) > 50) state.moreFindings();
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
})();
