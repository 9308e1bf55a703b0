// One task: its head, and its steps in the order in which they took place.

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
    body.openWhole = block.openWhole;
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
  const cover = el("span", {}, button(said, () => cover.replaceWith(draw()), { "aria-expanded": "false" }), el("span", { class: "printed" }, "covered"));
  return cover;
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
    line.now ? [": ", own(line.now)] : "", known(line.level) ? `, level ${line.level}` : "", line.not_counted ? ", not counted as right in the audited score" : "");
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

function timeline(task, findings, into) {
  // Puts the steps of a task below each other, those of a sub-agent within the call that started it. Of very many the
  // first are drawn; what is returned draws all up to one of them.
  const bySeq = new Map(), inner = new Map(), depth = new Map(), steps = task.steps || [];
  findings.forEach((f) => { if (known(f.seq)) bySeq.set(f.seq, [...(bySeq.get(f.seq) || []), f]); });
  if (!steps.length) into.append(el("p", { class: "small" }, "Of this task no steps are recorded."));
  const several = new Set(steps.map((step) => step.attempt || 1)).size > 1;
  const hashes = el("p", { id: "hashes", class: "small" }), more = button("", () => drawTo(at + MOST_STEPS));
  let list = null, attempt = null, turn = null, at = 0;

  function beginAttempt(number) {
    const told = (task.attempts || []).find((one) => one.number === number);
    const times = told && told.started_at ? own(`${told.started_at}${told.finished_at ? " to " + told.finished_at : ""}`, "span", { class: "small own" }) : "";
    list = el("ol", { class: "steps" });
    into.append(el("h3", { id: "attempt-" + number }, several ? `Attempt ${number}${told && told.selected ? ", whose answer was chosen" : ""}` : "What happened", times), list);
    if (attempt === null && !index.redacted) list.before(hashes);
    attempt = number;
    turn = null;
  }

  function place(step, item) {
    const parent = known(step.parent) && step.parent !== step.seq ? inner.get(step.parent) : null;
    const deep = parent ? (depth.get(step.parent) || 0) + 1 : 0;
    inner.set(step.seq, item);
    depth.set(step.seq, deep);
    if (parent && deep <= DEEPEST) {
      if (!parent.nested) {
        parent.nested = el("ol", { class: "inner steps" }, el("li", { class: "agent" }, "sub-agent ", own(step.agent || "")));
        parent.append(parent.nested);
      }
      parent.nested.append(item);
      return;
    }
    if ((step.turn || 1) !== turn) {
      turn = step.turn || 1;
      list.append(el("li", { class: "turn" }, `turn ${turn}`));
    }
    if (step.agent) item.firstChild.append(own(step.agent, "span", { class: "meta own" }));
    list.append(item);
  }

  function drawTo(end) {
    for (; at < Math.min(end, steps.length); at++) {
      if ((steps[at].attempt || 1) !== attempt) beginAttempt(steps[at].attempt || 1);
      place(steps[at], drawStep(steps[at], bySeq.get(steps[at].seq) || [], task));
    }
    const held = into.querySelectorAll(".checked.ok").length, broken = into.querySelectorAll(".checked.no").length;
    hashes.className = broken ? "verdict bad" : "small";
    hashes.textContent = `Checked here: ${counted(held, "text")} with the hash that ${held === 1 ? "its step says" : "their steps say"}, ${broken} without. Texts that were cut are checked when their whole is opened.`;
    more.textContent = `Show more of ${counted(steps.length, "step")}`;
    at < steps.length ? into.append(more) : more.remove();
  }

  drawTo(MOST_STEPS);
  return (seq) => drawTo(steps.findIndex((step) => step.seq === seq) + 1);
}

