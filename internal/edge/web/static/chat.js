// The chat page: what waits for an answer, where one writes, and the page around the conversation.

import { Photos, whereabouts } from './attach.js';
import { consequence, drawChoices, reply } from './cards.js';
import { Conversation, LIMIT } from './conversation.js';
import { make, show, text } from './dom.js';
import { Log } from './log.js';
import { read, write } from './store.js';
import { Speech, best, languages } from './words.js';

const LANGUAGE = 'merve.language';
const DRAFT = 'merve.draft';
const LONG = 8_000; // after this long at work, say that it takes longer

const page = Object.fromEntries([...document.querySelectorAll('[id]')].map((node) => [node.id, node]));
const typing = matchMedia('(hover: hover) and (pointer: fine)'); // a keyboard is at hand: focus opens no other

/** What the parts of the page share. */
const ui = {
  speech: new Speech(best([read(LANGUAGE), ...navigator.languages].filter(Boolean))),
  talk: undefined, // the conversation
  tiles: document.querySelector('meta[name=tiles]').dataset,
  say, tell, settle, remedy, changed: measure,
};
const log = new Log(page, ui);
const photos = new Photos(page, ui);

let model = '';      // what answers, as GET /healthz names it
let live = '';       // and where the sockets are
let speaking = false; // a reply is being said
let ready = false;   // the first load is over, one way or the other
let asked;           // the id of the pending action last shown
let warned = false;  // the last minute of the pending action has been announced
let broken = null;   // why the history could not be read
let eager = false;   // the message only waits for its photos
let working = [];    // the tools that Merve is at

/** What is said of a tool that is at work, by its name. */
const doings = [
  [/status|cancel/i, 'working'],
  [/pay/i, 'doPay'],
  [/getMy|listMy|history/i, 'doMine'],
  [/marketplace|searchBy|menu/i, 'doSearch'],
  [/taxi|driver/i, 'doTaxi'],
  [/food|order|cart|service/i, 'doOrder'],
  [/place|pharmac|nearby|directions/i, 'doPlaces'],
  [/book|viewing|hold|cancel|reschedule|waitlist/i, 'doBook'],
  [/availab|slot|time|getListing/i, 'doTimes'],
  [/search|find|listing|marketplace/i, 'doSearch'],
  [/send|message|whatsapp/i, 'doWrite'],
];

// --- what the conversation tells ---

const view = {
  added(entry) {
    log.add(entry);
    drawRest();
  },
  changed(entry) {
    log.change(entry);
    drawPending();
    drawEnd();
  },
  removed(entry) {
    log.remove(entry);
    drawRest();
  },
  settled(first) {
    broken = null;
    if (!first) return drawRest();
    drawAll();
    log.toEnd();
  },
  pending(action, expired) {
    const fresh = action?.id !== asked;
    asked = action?.id;
    if (fresh) warned = false;
    if (expired) log.note(ui.speech.say('expired'));
    log.ask();
    drawPending();
    if (action && fresh && ready) tell(`${ui.speech.say('asked')} ${text(action.summary)}`);
  },
  busy(on) {
    clearTimeout(view.patience);
    working = [];
    const already = page.working.firstChild;
    if (!on || speaking) return page.working.replaceChildren();
    view.patience = setTimeout(() => atWork('longer'), LONG);
    if (already) return;
    drawWorking();
    atWork('working');
  },
  told(words) {
    working = [words];
    if (!page.working.firstChild) drawWorking();
    page.working.lastChild.textContent = words;
  },
  speaking(on) {
    speaking = on;
    if (on) {
      clearTimeout(view.patience);
      page.working.replaceChildren();
    }
    drawSend();
  },
  doing(tools) {
    working = tools;
    if (tools.length) atWork(doings.find(([name]) => name.test(tools.at(-1)))?.[1] ?? 'working');
  },
};

function drawWorking() {
  const follow = log.nearEnd;
  page.working.append(make('span', { className: 'dots', 'aria-hidden': 'true' }, make('i'), make('i'), make('i')), make('span'));
  if (follow) log.toEnd();
}

/** Where one would send is a button that stops the reply, as long as one is said and nothing is written. */
function drawSend() {
  const stops = speaking && page.text.value.trim() === '' && photos.empty;
  if (page.stop.hidden !== stops) return;
  const held = [page.send, page.stop].includes(document.activeElement);
  show(page.stop, stops);
  show(page.send, !stops);
  if (held) settle();
}

/** Says what Merve is at, unless that is known better already. */
function atWork(word) {
  if (word === 'longer' && working.length) return;
  const words = page.working.lastChild;
  if (words && words.textContent !== ui.speech.say(word)) words.textContent = ui.speech.say(word);
}

function drawAll() {
  log.reset();
  drawRest();
}

function drawRest() {
  show(page.welcome, ready && !broken && ui.talk.entries.length === 0);
  show(page.earlier, ui.talk.hasOlder || broken);
  drawEnd();
  page.earlier.textContent = broken ? `${ui.speech.say('history')} ${ui.speech.say('retry')}` : ui.speech.say('earlier');
}

/** What the customer can do about a message that was not answered. */
function remedy(entry) {
  const button = (word, onclick) => make('button', { type: 'button', className: 'quiet', onclick }, ui.speech.say(word));
  switch (entry.error.kind) {
    case 'refused': return button('edit', () => { ui.talk.drop(entry); fill([entry.text, page.text.value].filter(Boolean).join('\n')); });
    case 'lost': return button('newChat', askNew);
  }
  return button('retry', () => { ui.talk.retry(entry); settle(); });
}

/** Says something to who listens to the page and does not see it. */
function tell(words) { page.say.textContent = words; }

// --- pending action ---

function drawPending() {
  const action = ui.talk.pending;
  const follow = log.nearEnd;
  if (!action && page.pending.contains(document.activeElement)) settle();
  show(page.pending, action);
  if (!action) return;
  page.summary.textContent = text(action.summary);
  page.summary.tabIndex = page.summary.scrollHeight > page.summary.clientHeight + 1 ? 0 : -1;
  page.yes.textContent = consequence(action, ui.talk.entries.flatMap((e) => e.cards), ui.speech);
  page.yes.disabled = page.no.disabled = ui.talk.answering;
  tick();
  if (follow) log.toEnd();
}

function tick() {
  if (!ui.talk.pending) return;
  const left = ui.talk.deadline - ui.talk.now;
  show(page.left, Number.isFinite(left));
  page.left.textContent = ui.speech.say('left', { time: ui.speech.countdown(left) });
  page.left.classList.toggle('soon', left < 60_000);
  if (left < 60_000 && left > 0 && !warned) {
    warned = true;
    tell(ui.speech.say('minute'));
  }
  // Until the clocks are compared, and while an answer is on its way, only the server can say that it is over.
  if (left <= 0 && ready && !ui.talk.answering) ui.talk.expire();
}

function answer(choice) {
  if (!ui.talk.pending || ui.talk.answering) return;
  ui.talk.answer(choice, ui.speech.say(choice));
  settle();
}

/** What stands at the end: what can be chosen, and how the conversation stands, in the server's words. What waits for an
 * answer is shown with its buttons. */
function drawEnd() {
  const { kind, text: words } = ui.talk.standing ?? {};
  const line = kind === 'waiting' ? '' : text(words);
  if (page.standing.textContent !== line) page.standing.textContent = line;
  const buttons = drawChoices(ui.talk.entries, ui);
  if (page.choices.textContent === buttons.map((b) => b.textContent).join('')) return;
  const follow = log.nearEnd;
  if (page.choices.contains(document.activeElement)) settle();
  page.choices.replaceChildren(...buttons);
  show(page.choices, buttons.length);
  if (follow) log.toEnd();
}

// --- composer ---

const length = (value) => [...value].length;

function measure() {
  const n = length(page.text.value.trim());
  page.text.dir = n === 0 ? '' : 'auto'; // empty, it goes by the page's language
  page.text.style.height = 'auto';
  page.text.style.height = `${page.text.scrollHeight}px`;
  page.send.disabled = n === 0 && photos.empty || n > LIMIT;
  drawSend();
  if (eager && !photos.uploading) submit();
  page.count.textContent = ui.speech.say('count', { n, limit: LIMIT });
  page.count.classList.toggle('over', n > LIMIT);
  page.text.setAttribute('aria-invalid', String(n > LIMIT));
  write(DRAFT, page.text.value);
}

function fill(value) {
  page.text.value = value;
  measure();
  page.text.focus();
}

function say(words, extra) {
  show(page.newest, false);
  page.remark.textContent = '';
  ui.talk.send(words, extra);
}

function submit(event) {
  event?.preventDefault();
  const words = page.text.value.trim();
  if (words === '' && photos.empty || length(words) > LIMIT) return;
  eager = photos.uploading;
  if (eager || !photos.ready) return; // it leaves when the last photo is up; of one that failed, the page has told
  page.text.value = '';
  const media = photos.take();
  page.text.focus();
  say(words, media.length ? { media } : {});
}

/** Sends where the customer is, once the browser has been allowed to say it. */
async function sayWhere() {
  const { talk } = ui;
  page.here.disabled = true;
  page.remark.textContent = ui.speech.say('locating');
  try {
    const location = await whereabouts();
    if (talk === ui.talk) say('', { location }); // else a new conversation has begun
  } catch (word) {
    page.remark.textContent = ui.speech.say(word);
  } finally {
    page.here.disabled = false;
  }
  settle();
}

function keyed(event) {
  // An Enter that ends the composition of a character (IME) is not meant for the page.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  submit(event);
}

/** Gives the focus a place when what had it goes away: where one writes, or, without a keyboard, where one reads. */
function settle() { (typing.matches ? page.text : page.scroll).focus({ preventScroll: true }); }

// --- the page around it ---

function speak() {
  document.documentElement.lang = ui.speech.language;
  document.documentElement.dir = ui.speech.dir;
  for (const node of document.querySelectorAll('[data-word]')) node.textContent = ui.speech.say(node.dataset.word);
  for (const node of document.querySelectorAll('[data-label]')) {
    node.setAttribute('aria-label', ui.speech.say(node.dataset.label));
    if (node.matches('button')) node.title = ui.speech.say(node.dataset.label);
  }
  page.text.placeholder = ui.speech.say('placeholder');
  page.ideas.replaceChildren(...ui.speech.ideas().map((idea) => make('li', {}, reply(ui, 'plain', idea, idea))));
  page.offline.textContent = navigator.onLine ? '' : ui.speech.say('offline');
  ui.talk.language = ui.speech.language;
  introduce();
  drawAll();
  drawPending();
  measure();
}

function choose() {
  ui.speech = new Speech(page.language.value);
  write(LANGUAGE, ui.speech.language);
  speak();
}

/** Names what answers. Rules are called rules. */
function introduce() {
  const rules = /\brules?\b/i.test(model);
  page.model.textContent = model && ui.speech.say(rules ? 'rules' : 'model', { model });
}

async function lookUpModel() {
  try {
    const health = await ui.talk.health();
    [model, live] = [text(health.model), text(health.live)];
  } catch {
    return; // asked again when the connection is back
  }
  introduce();
  listen();
}

/** Hears replies while they are said, where there are sockets. */
function listen() { if (live) ui.talk.connect(live); }

async function begin() {
  ui.talk?.close();
  eager = ready = false;
  photos.clear(); // they are of who wrote before
  broken = null;
  ui.talk = new Conversation(view);
  view.speaking(false);
  listen();
  page.working.replaceChildren();
  page.remark.textContent = '';
  show(page.newest, false);
  speak();
  log.toEnd();
  const current = ui.talk;
  await load(() => current.open());
  if (current !== ui.talk) return;
  ready = true;
  drawRest();
  drawPending();
  log.toEnd();
}

/** Reads with read, in silence: what was said before is not announced as if it were new. */
async function load(read) {
  page.log.setAttribute('aria-live', 'off');
  page.earlier.disabled = true;
  try {
    await read();
  } catch (error) {
    broken = error;
    drawRest();
  } finally {
    page.earlier.disabled = false;
    requestAnimationFrame(() => page.log.setAttribute('aria-live', 'polite'));
  }
}

async function earlier() {
  if (page.earlier.disabled || !ready) return;
  const held = document.activeElement === page.earlier;
  await load(() => (broken ? ui.talk.refresh() : ui.talk.earlier()));
  if (held && page.earlier.hidden) page.scroll.focus({ preventScroll: true });
  else if (held) page.earlier.focus({ preventScroll: true });
}

function connection() {
  page.offline.textContent = navigator.onLine ? '' : ui.speech.say('offline');
  for (const entry of ui.talk.entries) if (entry.status === 'waiting') log.change(entry);
  if (!navigator.onLine) return;
  if (!model) lookUpModel();
  ui.talk.resume();
  photos.resume();
  ui.talk.wake();
}

/** Somebody looks at the page again. */
function wake() { if (!document.hidden && ready) ui.talk.wake(); }

function askNew() {
  page.sure.returnValue = 'no';
  page.sure.showModal();
}

function startNew() {
  if (page.sure.returnValue !== 'yes') return;
  ui.talk.close();
  Conversation.forget();
  begin();
  settle();
}

page.language.append(...Object.entries(languages).map(([tag, name]) => make('option', { value: tag, lang: tag }, name)));
page.language.value = ui.speech.language;
page.language.addEventListener('change', choose);
page.new.addEventListener('click', askNew);
page.sure.addEventListener('close', startNew);
page.yes.addEventListener('click', () => answer('yes'));
page.no.addEventListener('click', () => answer('no'));
page.stop.addEventListener('click', () => ui.talk.stop());
page.composer.addEventListener('submit', submit);
page.text.addEventListener('input', measure);
page.text.addEventListener('keydown', keyed);
page.earlier.addEventListener('click', earlier);
page.newest.addEventListener('click', () => { log.toEnd(); settle(); });
page.scroll.addEventListener('scroll', () => { if (page.scroll.scrollTop < 40 && ui.talk.hasOlder && !broken) earlier(); }, { passive: true });
page.here.addEventListener('click', sayWhere);
addEventListener('online', connection);
addEventListener('offline', connection);
addEventListener('resize', measure);
addEventListener('storage', (event) => { if (Conversation.keeps(event.key) && ui.talk.replaced) begin(); });
addEventListener('focus', wake);
document.addEventListener('visibilitychange', wake);
setInterval(tick, 1000);

page.text.value = read(DRAFT) ?? '';
begin();
lookUpModel();
if (typing.matches) page.text.focus();
