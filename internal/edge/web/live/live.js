// The session page: one live conversation, with its state beside the talk. Nothing of the server becomes markup:
// all of it is set as text.
//
// ?agentId=, &callSessionId=, &phone=, &language= and &conversationId= fill the form. The page is somebody of its
// own: its conversations are those of a session id that it keeps.

import { make, show, text } from './dom.js';
import { Socket } from './socket.js';
import { random, read, write } from './store.js';

const SESSION = 'merve.live';
const query = new URLSearchParams(location.search);
const page = Object.fromEntries([...document.querySelectorAll('[id]')].map((node) => [node.id, node]));

let live;            // where to connect, as GET /healthz tells
let socket;
const turns = new Map(); // the nodes of replies that grow, by turn
let choices;         // the buttons of what can be chosen
let voiced = 0;      // how much of it was read aloud
let pending = null;  // the action that waits for an answer
let finished = -1;   // the latest turn whose end was told
let asked = new Map(); // what turns answer that were finished while the page was away, by turn
const own = new Map(); // messages that were sent or heard here, by their id

// --- what was said ---

function follow(change) {
  const near = page.log.scrollHeight - page.log.scrollTop - page.log.clientHeight < 80;
  change();
  if (near) page.log.scrollTop = page.log.scrollHeight;
}

function add(className, words) {
  const node = make('p', { className, dir: 'auto' }, words);
  follow(() => page.log.append(node));
  return node;
}

function note(words, className = 'note') { return add(className, words); }

/** Shows what the customer has said, here or by another socket. */
function hear(id, words) {
  offer([]);
  own.set(id, words);
  add('said own', words);
}

/** Shows what a turn has said so far. Who listens hears it whole, when it is. */
function grow(turnId, words) {
  const node = turns.get(turnId) ?? Object.assign(add('said', ''), { ariaLive: 'off' });
  turns.set(turnId, node);
  node.dataset.turn = turnId;
  follow(() => { node.textContent = words; });
}

/** Puts the whole reply of a turn in the place of what it has said so far, else before those of later turns. */
function settle({ turnId, text: words, interrupted }) {
  const node = turns.get(turnId);
  turns.delete(turnId);
  if (!words) {
    if (interrupted) node?.classList.add('cut');
    return;
  }
  const whole = make('p', { className: interrupted ? 'said cut' : 'said', dir: 'auto' }, words);
  whole.dataset.turn = turnId;
  const later = [...page.log.children].find((n) => Number(n.dataset.turn) > turnId);
  follow(() => { if (node) node.replaceWith(whole); else page.log.insertBefore(whole, later ?? null); });
}

function finish(frame) {
  for (const line of asked.get(frame.turnId) ?? []) add('said own', text(line.content));
  asked.delete(frame.turnId);
  finished = frame.turnId;
  settle(frame);
  const cards = Array.isArray(frame.cards) ? frame.cards : [];
  offer(Array.isArray(frame.choices) ? frame.choices : []);
  for (const card of cards) {
    const words = [card?.title, card?.subtitle, card?.status].map(text).filter(Boolean).join(' · ');
    if (words) note(words);
  }
}

/** Shows what can be chosen as buttons, as long as nothing else was said. */
function offer(options) {
  choices?.remove();
  choices = undefined;
  const buttons = options.filter((o) => text(o?.label)).map(({ label, detail }) => make('button', {
    type: 'button', className: 'plain', dir: 'auto', onclick: () => { if (say(text(label))) page.text.focus(); },
  }, [label, detail].map(text).filter(Boolean).join(' · ')));
  if (!buttons.length) return;
  choices = make('div', { className: 'options', role: 'group', 'aria-label': 'Choices' }, ...buttons);
  follow(() => page.log.append(choices));
}

/** Forgets what is shown: it is told anew. */
function clear() {
  page.log.replaceChildren();
  own.clear();
  turns.clear();
  finished = -1;
}

const handlers = {
  token(frame, words) {
    tell('');
    grow(frame.turnId, words);
    aloud(words, false);
  },
  status(frame) { tell(text(frame.text)); },
  speaking(frame) {
    speaking(frame.speaking);
    if (!frame.speaking) hush();
  },
  message(frame) {
    if (!own.has(frame.id)) hear(frame.id, text(frame.text));
  },
  final(frame, _, late) {
    if (late) return settle(frame);
    tell('');
    speaking(false);
    if (!frame.interrupted) aloud(text(frame.text), true);
    finish(frame);
    voiced = 0;
    // What waits for an answer is shown with its buttons.
    page.standing.textContent = frame.standing?.kind === 'waiting' ? '' : text(frame.standing?.text);
    socket.resync(); // how it stands now
  },
  error(frame) {
    tell('');
    note(text(frame.text) || 'The turn was given up.', 'note trouble');
  },
  resync(frame) {
    if (frame.gap) {
      clear();
      note('Some of what was said before is not told again.');
    }
    const shown = [...own.values()];
    const lines = (frame.state?.history ?? []).filter((l) => l.role === 'user' && l.turnId > finished && !shown.includes(l.content));
    asked = Map.groupBy(lines, (l) => l.turnId);
    state(frame.state ?? {});
  },
};

function tell(words) { page.status.textContent = words; }

// --- state ---

function state(s) {
  page['s-call'].textContent = text(s.callSessionId) || '–';
  page['s-turn'].textContent = text(s.turnId) || '0';
  speaking(s.speaking);
  page.domain.textContent = JSON.stringify(s.domainState ?? {}, null, 2);
  pending = s.pendingAction ?? null;
  show(page.pending, pending);
  page.summary.textContent = text(pending?.summary);
  const until = Date.parse(pending?.expiresAt);
  page.until.textContent = until ? `until ${new Date(until).toLocaleTimeString()}` : '';
  page.yes.disabled = page.no.disabled = false;
}

function speaking(on) {
  page['s-speaking'].textContent = on ? 'yes' : 'no';
  if (!on && document.activeElement === page.stop) page.text.focus();
  show(page.stop, on);
}

// --- connecting ---

function session() {
  const kept = read(SESSION);
  if (typeof kept === 'string' && kept.length >= 22) return kept;
  const fresh = random(24);
  write(SESSION, fresh);
  return fresh;
}

function address() {
  const url = new URL(live, location.href);
  const fields = {
    token: session(), agentId: page.agent.value.trim(), callSessionId: page.call.value.trim(), phone: page.phone.value.trim(),
    language: page.language.value.trim(), conversationId: query.get('conversationId'),
  };
  for (const [name, value] of Object.entries(fields)) if (value) url.searchParams.set(name, value);
  return url;
}

async function connect() {
  socket?.close();
  clear();
  tell('');
  state({});
  page.standing.textContent = '';
  page.link.textContent = 'Connecting …';
  try {
    live = text((await (await fetch('/healthz')).json()).live);
  } catch {
    live = '';
  }
  if (!live) {
    page.link.textContent = 'The server does not tell where its sockets are.';
    return;
  }
  socket = new Socket(address, {
    open(on) { page.link.textContent = on ? 'Connected' : 'Connection lost; connecting again …'; },
    refused() { page.link.textContent = 'No connection: the server cannot be reached, or it knows no such session.'; },
    frame(frame, words, late) {
      handlers[frame.type]?.(frame, words, late);
      page['s-event'].textContent = String(socket?.last ?? '');
    },
  });
}

function say(words, extra = {}) {
  hush();
  const id = random(16);
  if (!socket?.send({ type: 'message', id, text: words, ...extra })) return tell('Not connected: nothing was sent.');
  hear(id, words);
  page.log.scrollTop = page.log.scrollHeight;
  return true;
}

function submit(event) {
  event?.preventDefault();
  const words = page.text.value.trim();
  if (words && say(words)) page.text.value = '';
}

function answer(choice) {
  if (!pending) return;
  page.yes.disabled = page.no.disabled = say(choice.toUpperCase(), { button: `${choice}:${pending.id}`, replyTo: pending.id }) === true;
  page.text.focus();
}

// --- the browser's own speech, where it has it ---

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const voice = window.speechSynthesis;
let recognition;

/** Reads aloud what can be: whole sentences as they come, the rest at the end. */
function aloud(words, whole) {
  if (page.aloud.getAttribute('aria-pressed') !== 'true') return;
  const rest = words.slice(voiced);
  const end = whole ? rest.length : rest.search(/[.!?…。؟।][^.!?…。؟।]*$/) + 1;
  const piece = rest.slice(0, end);
  voiced += end;
  if (!piece.trim()) return;
  const utterance = new SpeechSynthesisUtterance(piece);
  utterance.lang = page.language.value.trim() || 'en';
  voice.speak(utterance);
}

function hush() { voice?.cancel(); }

function toggle(button, on = button.getAttribute('aria-pressed') !== 'true') {
  button.setAttribute('aria-pressed', String(on));
  return on;
}

function listen() {
  if (!toggle(page.listen)) return recognition?.stop();
  recognition = new Recognition();
  recognition.lang = page.language.value.trim() || 'en';
  recognition.interimResults = true;
  recognition.onresult = ({ results }) => {
    page.text.value = [...results].map(([best]) => best.transcript).join('');
    if (results[results.length - 1].isFinal) submit();
  };
  recognition.onend = recognition.onerror = () => toggle(page.listen, false);
  hush();
  recognition.start();
}

function voices() {
  show(page.listen, Recognition);
  show(page.aloud, voice);
  const lacks = [!Recognition && 'listen', !voice && 'speak'].filter(Boolean).join(' or ');
  page.voices.textContent = lacks ? `This browser cannot ${lacks}.` : 'Listening and speaking are the browser’s own.';
}

for (const [field, name] of [['agent', 'agentId'], ['phone', 'phone'], ['call', 'callSessionId'], ['language', 'language']]) {
  page[field].value = query.get(name) ?? '';
}
page.call.value ||= `call-${random(6)}`;
page.begin.addEventListener('submit', (event) => { event.preventDefault(); connect(); });
page.another.addEventListener('click', () => { page.call.value = `call-${random(6)}`; connect(); });
page.composer.addEventListener('submit', submit);
page.text.addEventListener('keydown', (event) => {
  // An Enter that ends the composition of a character (IME) is not meant for the page.
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229) submit(event);
});
page.stop.addEventListener('click', () => { hush(); socket?.send({ type: 'barge_in' }); });
page.yes.addEventListener('click', () => answer('yes'));
page.no.addEventListener('click', () => answer('no'));
page.listen.addEventListener('click', listen);
page.aloud.addEventListener('click', () => { if (!toggle(page.aloud)) hush(); });
addEventListener('online', () => socket?.wake());
document.addEventListener('visibilitychange', () => { if (!document.hidden) socket?.wake(); });
voices();
connect();
