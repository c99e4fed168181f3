// The page of a conversation with the plan engine: each question as a graph of its steps, with the log
// beside it, live while it runs. Nothing of the server becomes markup: all of it is set as text.

const conversation = decodeURIComponent(location.pathname.split("/").pop());
const address = `/api/chat/${encodeURIComponent(conversation)}/trace`;
const signs = { pending: "○", dispatched: "◐", completed: "●", failed: "✕", skipped: "⊘" };
const drawn = new Map(); // correlation: what it was drawn from

document.getElementById("conversation").textContent = conversation;

function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

const clip = (text, length) => ([...text].length > length ? [...text].slice(0, length - 1).join("") + "…" : text);

// stateOf makes of the events of one question what is shown: the fold of the log.
function stateOf(events) {
  const s = { question: "", steps: [], answer: "", note: "", asked: events[0].timestamp, events };
  const of = (type) => events.filter((e) => e.eventType === type);
  for (const e of of("UserQueryReceived")) [s.question, s.asked] = [e.payload.query, e.timestamp];
  for (const e of of("PlanGenerated")) {
    s.question ||= e.payload.originalQuery;
    s.note = e.note ?? "";
    s.steps = e.payload.plan.steps.map((step) => ({ ...step, state: "pending", took: null }));
  }
  for (const e of of("ToolInvocationRequested")) if (s.steps[e.payload.stepIndex]) s.steps[e.payload.stepIndex].state = "dispatched";
  for (const e of of("ToolInvocationResulted")) {
    const step = s.steps[e.payload.stepIndex];
    if (step) [step.state, step.took] = [e.payload.success ? "completed" : "failed", e.payload.durationMs];
  }
  for (const step of s.steps) {
    if (step.state === "pending" && step.dependsOn.some((d) => ["failed", "skipped"].includes(s.steps[d]?.state))) step.state = "skipped";
  }
  for (const e of of("FinalAnswerSynthesized")) s.answer = e.payload.finalAnswer;
  return s;
}

const took = (ms) => (ms === null ? "" : ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

// graph draws question, steps in columns by what they depend on, and answer.
function graph(s) {
  const wide = 178, high = 62, gapX = 46, gapY = 16, margin = 6;
  const depth = [];
  s.steps.forEach((step, i) => { depth[i] = 1 + Math.max(0, ...step.dependsOn.map((d) => depth[d] ?? 0)); });
  const last = 1 + Math.max(0, ...depth);
  const rows = [];
  const place = (column) => {
    const row = (rows[column] ??= 0);
    rows[column]++;
    return { x: margin + column * (wide + gapX), y: margin + row * (high + gapY) };
  };
  const at = { question: place(0), answer: place(last), steps: s.steps.map((_, i) => place(depth[i])) };
  const lines = [], boxes = [];
  const join = (a, b) => {
    const [x1, y1, x2, y2] = [a.x + wide, a.y + high / 2, b.x, b.y + high / 2];
    lines.push(svg("path", { d: `M${x1} ${y1}C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}` }));
  };
  const box = (p, state, head, body, foot) => {
    boxes.push(svg("g", { class: state },
      svg("rect", { x: p.x, y: p.y, width: wide, height: high, rx: 8 }),
      svg("text", { x: p.x + 10, y: p.y + 19 }, head),
      svg("text", { x: p.x + 10, y: p.y + 36, class: "small" }, clip(body, 25)),
      svg("text", { x: p.x + 10, y: p.y + 53, class: "small state" }, foot)));
  };
  const needed = new Set(s.steps.flatMap((step) => step.dependsOn));
  box(at.question, "completed", "Question", s.question, `${signs.completed} received`);
  s.steps.forEach((step, i) => {
    for (const d of step.dependsOn) join(at.steps[d], at.steps[i]);
    if (step.dependsOn.length === 0) join(at.question, at.steps[i]);
    if (!needed.has(i)) join(at.steps[i], at.answer);
    box(at.steps[i], step.state, `${i} ${step.tool}`, step.input, `${signs[step.state]} ${step.state} ${took(step.took)}`);
  });
  box(at.answer, s.answer ? "completed" : "pending", "Answer", s.answer, s.answer ? `${signs.completed} answered` : `${signs.pending} pending`);
  const width = 2 * margin + (last + 1) * wide + last * gapX, height = 2 * margin + Math.max(...rows.map((n) => n ?? 1)) * (high + gapY) - gapY;
  const told = s.steps.map((step, i) => `step ${i}, ${step.tool}, ${step.state} ${took(step.took)}`).join("; ");
  return svg("svg", { role: "img", "aria-label": `Plan of ${s.steps.length} steps: ${told}`, viewBox: `0 0 ${width} ${height}`, width, height }, ...lines, ...boxes);
}

function log(s) {
  const list = element("ol", { class: "log" });
  for (const e of s.events) {
    const line = element("details", {}, element("summary", {}, element("time", {}, `${((e.timestamp - s.asked) / 1000).toFixed(3)} s `), e.eventType));
    line.append(element("pre", { dir: "auto" }, JSON.stringify(e.payload, null, 2)));
    list.append(element("li", {}, line));
  }
  return element("details", {}, element("summary", {}, `Log: ${s.events.length} events`), list);
}

function draw(correlation, events) {
  const key = events.map((e) => e.id).join();
  const had = drawn.get(correlation);
  if (had?.key === key) return;
  const s = stateOf(events);
  const plan = element("article", { class: "plan" }, element("h2", { dir: "auto" }, s.question || "A question that has expired"));
  const frame = element("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Plan" });
  frame.append(graph(s));
  plan.append(frame);
  if (s.note) plan.append(element("p", { class: "note" }, s.note));
  if (s.answer) plan.append(element("p", { class: "answer", dir: "auto" }, s.answer));
  const events_ = log(s);
  if (had?.node.querySelector(":scope > details")?.open) events_.open = true;
  plan.append(events_);
  if (had) had.node.replaceWith(plan);
  else document.getElementById("plans").append(plan);
  drawn.set(correlation, { key, node: plan });
}

async function look() {
  const state = document.getElementById("state");
  let open = false;
  try {
    const answer = await fetch(address, { headers: session() });
    if (answer.status === 404) {
      state.textContent = "Nothing has been asked here yet.";
    } else if (!answer.ok) {
      state.textContent = `The trace cannot be read now (${answer.status}).`;
    } else {
      const byQuestion = Map.groupBy((await answer.json()).events, (e) => e.correlationId);
      for (const [correlation, events] of byQuestion) {
        draw(correlation, events);
        open ||= !events.some((e) => e.eventType === "FinalAnswerSynthesized");
      }
      state.textContent = open ? "Working …" : "All questions are answered.";
    }
  } catch {
    state.textContent = "The server cannot be reached.";
  }
  setTimeout(look, open || asking ? 400 : 4000);
}

// session is that of the chat page, for conversations that were begun with it.
function session() {
  const id = new URLSearchParams(location.hash.slice(1)).get("session");
  return id ? { "x-session-id": id } : {};
}

let asking = false;

document.getElementById("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const prompt = document.getElementById("prompt");
  if (!prompt.value.trim() || asking) return;
  asking = true;
  try {
    const answer = await fetch("/api/chat", {
      method: "POST", headers: { "content-type": "application/json", ...session() },
      body: JSON.stringify({ prompt: prompt.value, conversationId: conversation }),
    });
    if (answer.ok) prompt.value = "";
    else document.getElementById("state").textContent = (await answer.json()).detail ?? `Not asked (${answer.status}).`;
  } catch {
    document.getElementById("state").textContent = "The server cannot be reached.";
  }
  asking = false;
});

look();
