// The parts of a page: elements, texts, hashes, findings. Everything that was recorded becomes text nodes, never markup.

const FOLD = 1200, FOLD_LINES = 14, MORE = 256 * 1024, DEEPEST = 8, BRIEF = 160, MARKED = 320, MOST_STEPS = 400;
const SEVERITIES = ["critical", "high", "medium", "low", "info"];
const find = (selector, root = document) => root.querySelector(selector);
const state = { links: false };
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

// ---- words for outcomes

const outcome = (task) =>
  task.state && task.state !== "done" ? task.state : task.error ? "error" : !known(task.correct) ? "not scored" : task.correct ? "right" : "wrong";
const GLYPHS = { right: "✓", wrong: "✗", error: "!", running: "…", interrupted: "–", open: "·", "not scored": "?" };
const short = (id) => (id.length > 20 ? id.slice(0, 8) : id);
function severity(name, more = "") {
  return el("span", { class: "sev " + name }, name + more);
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
    const load = async () => {
      const text = await unpack(words.whole);
      if (text !== null) { show(text, true); asked.remove(); }
    };
    const asked = button(`Open the whole text (${size(words.bytes)})`, load);
    meta.append(asked);
    const head = new TextEncoder().encode(words.head || "").length;
    if (findings.some((finding) => known(finding.offset) && finding.offset >= head)) block.openWhole = load;
  } else if (words.missing) meta.append(own(words.missing, "span"));
  show(words.head || "", false);
  return block;
}

const hashOf = (words) => (words.sha256 ? el("span", { title: words.sha256 }, "sha256 ", own(words.sha256.slice(0, 12)), "…") : "");

