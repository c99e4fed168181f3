// The chat page: draws a conversation and takes what the customer does.
// Whatever comes from elsewhere is put in as text, never as markup.

import { Conversation, LIMIT, read, write } from './conversation.js';
import { Speech, best, languages } from './words.js';

const LANGUAGE = 'merve.language';
const DRAFT = 'merve.draft';
const LONG = 8_000; // after this long at work, say that it takes longer

const page = Object.fromEntries([...document.querySelectorAll('[id]')].map((node) => [node.id, node]));
const typing = matchMedia('(hover: hover) and (pointer: fine)'); // a keyboard is at hand: focus opens no other

let speech = new Speech(best([read(LANGUAGE), ...navigator.languages].filter(Boolean)));
let talk;            // the conversation
let model = '';      // what answers, as GET /healthz names it
let ready = false;   // the first load is over, one way or the other
let asked;           // the id of the pending action last shown
let warned = false;  // the last minute of the pending action has been announced
let broken = null;   // why the history could not be read
let nodes = new Map(); // entry to its node

// --- building ---

/** An element with properties (data-, aria- and role as attributes) and children; text stays text. */
function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes('-') || name === 'role') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
}

function show(node, visible) { node.hidden = !visible; }

/** A word of a card, or '' when it is nothing that can be read. */
function text(value) { return typeof value === 'string' ? value : Number.isFinite(value) ? String(value) : ''; }

/** Text with its https links. Anything less plain than a printable ASCII address stays text. */
function linked(value) {
  const parts = [];
  let from = 0;
  for (const match of value.matchAll(/https:\/\/[!#-;=?-~]+/g)) {
    const address = match[0].replace(/[.,:;!?)\]}'*_]+$/, '');
    const url = parse(address);
    if (!url || url.username || url.password) continue;
    parts.push(value.slice(from, match.index), outward(url.href, address));
    from = match.index + address.length;
  }
  parts.push(value.slice(from));
  return parts;
}

function parse(address) {
  try { return new URL(address); } catch { return null; }
}

function outward(href, label) {
  return make('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', dir: 'auto' }, label);
}

// --- entries ---

function draw(entry) {
  const own = entry.direction === 'inbound';
  return make('article', { className: own ? 'entry own' : 'entry' },
    make('span', { className: 'unseen' }, (own ? speech.say('you') : 'Merve') + ': '),
    entry.text ? make('p', { className: 'bubble', dir: 'auto' }, ...linked(entry.text)) : null,
    ...entry.cards.map(card).filter(Boolean),
    place(entry.mapLocation),
    make('p', { className: 'foot' },
      make('time', { dateTime: new Date(entry.at).toISOString() }, speech.time(entry.at)),
      state(entry)),
    trouble(entry));
}

function state({ status }) {
  if (status === 'sending' || status === 'waiting') {
    return make('span', { className: 'state' }, speech.say(navigator.onLine ? 'sending' : 'waiting'));
  }
  return null;
}

/** Why an entry was not answered, and what can be done about it. */
function trouble(entry) {
  if (entry.status !== 'failed') return null;
  const { kind, detail, traceId } = entry.error;
  return make('div', { className: 'trouble' },
    make('p', {}, speech.say(kind),
      kind === 'refused' && detail ? make('span', { dir: 'auto' }, ' ' + detail) : null,
      kind === 'server' && traceId ? make('small', {}, speech.say('reference', { id: traceId })) : null),
    remedy(entry));
}

function remedy(entry) {
  const button = (word, onclick) => make('button', { type: 'button', className: 'quiet', onclick }, speech.say(word));
  switch (entry.error.kind) {
    case 'refused': return button('edit', () => { talk.drop(entry); fill(entry.text); });
    case 'lost': return button('newChat', askNew);
  }
  return button('retry', () => { talk.retry(entry); settle(); });
}

function place(spot) {
  const [lat, lng] = [Number(spot?.lat), Number(spot?.lng)];
  if (!spot || !(Math.abs(lat) <= 90) || !(Math.abs(lng) <= 180)) return null;
  const name = text(spot.label) || text(spot.address);
  const link = outward(`https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=16/${lat}/${lng}`, '');
  link.className = 'map';
  link.append(icon('M12 21s7-6.600 7-11.500a7 7 0 0 0-14 0C5 14.400 12 21 12 21zm0-9a2.500 2.500 0 1 1 0-5 2.500 2.500 0 0 1 0 5z'),
    make('span', {}, speech.say('map')), name ? make('span', { className: 'soft', dir: 'auto' }, name) : '');
  return make('p', { className: 'spot' }, link);
}

function icon(path) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

// --- cards ---

function card(card) {
  if (!card || typeof card !== 'object') return null;
  switch (card.type) {
    case 'listing': return listing(card);
    case 'booking': return booking(card);
  }
  return text(card.title) ? make('div', { className: 'card other', dir: 'auto' }, text(card.title)) : null;
}

/** A listing: folded it is one row; tapped, it offers to book one of its offerings and to tell more. */
function listing(card) {
  const title = text(card.title);
  const offerings = (Array.isArray(card.offerings) ? card.offerings : []).filter((o) => text(o?.name));
  const price = speech.money(card.price);
  return make('details', { className: 'card listing' },
    make('summary', {},
      picture(card.image),
      make('span', { className: 'lines' },
        make('strong', { dir: 'auto' }, title),
        line(card.subtitle),
        line(card.place)),
      price ? make('span', { className: 'price' }, price) : null),
    make('div', { className: 'choices', role: 'group', 'aria-label': `${speech.say('choices')}: ${title}` },
      ...(offerings.length > 1 ? offerings.map((o) => offering(title, o, card.price?.currency)) : [
        reply('main', speech.say('book'), speech.say('bookText', { name: [title, text(offerings[0]?.name)].filter(Boolean).join(' – ') })),
      ]),
      reply('plain', speech.say('details'), speech.say('detailsText', { name: title }))));
}

function offering(title, { name, price }, currency) {
  const cost = speech.money(Number.isFinite(price) ? { amount: price, currency } : price);
  const button = reply('main', speech.say('book'), speech.say('bookText', { name: `${title} – ${name}` }));
  button.setAttribute('aria-label', speech.say('bookOne', { name }));
  return make('div', { className: 'offering' },
    make('span', { dir: 'auto' }, name), cost ? make('span', { className: 'price' }, cost) : null, button);
}

/** A button that says something for the customer. */
function reply(className, label, words) {
  return make('button', { type: 'button', className, onclick: () => { say(words); settle(); } }, label);
}

function line(value) {
  return text(value) ? make('span', { className: 'soft', dir: 'auto' }, text(value)) : null;
}

function picture(address) {
  const url = parse(text(address));
  if (url?.protocol !== 'https:' && !/^data:image\/(png|jpeg|webp|gif|avif);/.test(url?.href)) return null;
  const image = make('img', { alt: '', width: 64, height: 64, loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', src: url.href });
  image.addEventListener('error', () => image.remove());
  return image;
}

/** The status of a booking by the word that says it. */
const statuses = { draft: 'draft', hold: 'hold', confirmed: 'confirmed', cancelled: 'cancelled', expired: 'closed' };

function booking(card) {
  const status = text(card.status);
  const known = Object.hasOwn(statuses, status);
  const price = speech.money(card.price);
  const row = (word, value, className = '') => (value
    ? make('div', { className }, make('dt', {}, speech.say(word)), make('dd', { dir: className ? 'ltr' : 'auto' }, value)) : null);
  return make('div', { className: 'card booking', role: 'group', 'aria-label': speech.say('booking') + ': ' + text(card.title) },
    make('header', {},
      make('span', { className: 'lines' }, make('strong', { dir: 'auto' }, text(card.title)), line(card.subtitle)),
      status ? make('span', { className: 'status', 'data-status': known ? status : 'other' }, known ? speech.say(statuses[status]) : status) : null),
    make('dl', {},
      row('when', card.when && speech.when(text(card.when), text(card.timeZone) || undefined)),
      row('party', text(card.party)),
      row('price', price),
      row('code', text(card.code), 'code')));
}

// --- the list ---

function redraw(entry) {
  const old = nodes.get(entry);
  if (!old) return;
  const held = old.contains(document.activeElement);
  const node = draw(entry);
  nodes.set(entry, node);
  old.replaceWith(node);
  if (held) settle();
}

/** Puts a heading where a day begins, and nowhere else. */
function days() {
  let last = '';
  for (const node of [...page.log.children]) {
    if (node.className === 'day') { node.remove(); continue; }
    const time = node.querySelector('time');
    if (!time) continue;
    const day = speech.day(Date.parse(time.dateTime), talk.now);
    if (day !== last) node.before(make('p', { className: 'day' }, make('span', {}, day)));
    last = day;
  }
}

function drawAll() {
  page.log.setAttribute('aria-busy', 'true');
  nodes = new Map(talk.entries.map((entry) => [entry, draw(entry)]));
  page.log.replaceChildren(...nodes.values());
  days();
  drawRest();
  page.log.removeAttribute('aria-busy');
}

function drawRest() {
  show(page.welcome, ready && !broken && talk.entries.length === 0);
  show(page.earlier, talk.hasOlder || broken);
  page.earlier.textContent = broken ? `${speech.say('history')} ${speech.say('retry')}` : speech.say('earlier');
}

const nearEnd = () => page.scroll.scrollHeight - page.scroll.scrollTop - page.scroll.clientHeight < 120;
const toEnd = () => { page.scroll.scrollTop = page.scroll.scrollHeight; };

/** Brings node into view: its end, or its beginning when it is taller than what can be seen. */
function reveal(node) {
  if (node.offsetHeight < page.scroll.clientHeight * 0.8) toEnd();
  else page.scroll.scrollTop += node.getBoundingClientRect().top - page.scroll.getBoundingClientRect().top - 8;
}

const view = {
  added(entry) {
    const follow = nearEnd() || entry.direction === 'inbound';
    const next = talk.entries[talk.entries.indexOf(entry) + 1];
    const node = draw(entry);
    const height = page.scroll.scrollHeight;
    const before = nodes.get(next);
    nodes.set(entry, node);
    page.log.insertBefore(node, before?.previousElementSibling?.className === 'day' ? before.previousElementSibling : before ?? null);
    days();
    drawRest();
    if (next) page.scroll.scrollTop += page.scroll.scrollHeight - height; // what is read stays where it is
    else if (follow) reveal(node);
    else show(page.newest, true);
  },
  changed(entry) {
    const follow = nearEnd();
    redraw(entry);
    days();
    drawPending();
    if (follow && entry === talk.entries.at(-1)) toEnd();
  },
  removed(entry) {
    nodes.get(entry)?.remove();
    nodes.delete(entry);
    days();
    drawRest();
  },
  settled(first) {
    broken = null;
    if (!first) return drawRest();
    drawAll();
    toEnd();
  },
  pending(action, expired) {
    const fresh = action?.id !== asked;
    asked = action?.id;
    if (fresh) warned = false;
    if (expired) note(speech.say('expired'));
    drawPending();
    if (action && fresh && ready) tell(`${speech.say('asked')} ${text(action.summary)}`);
  },
  busy(on) {
    clearTimeout(view.patience);
    page.working.replaceChildren();
    if (!on) return;
    const follow = nearEnd();
    const words = make('span', {}, speech.say('working'));
    page.working.append(make('span', { className: 'dots', 'aria-hidden': 'true' }, make('i'), make('i'), make('i')), words);
    view.patience = setTimeout(() => { words.textContent = speech.say('longer'); }, LONG);
    if (follow) toEnd();
  },
};

/** A remark of the page itself; it is not part of the conversation. */
function note(words) {
  const follow = nearEnd();
  page.log.append(make('p', { className: 'note' }, words));
  if (follow) toEnd();
}

/** Says something to who listens to the page and does not see it. */
function tell(words) { page.say.textContent = words; }

// --- pending action ---

function drawPending() {
  const action = talk.pending;
  const follow = nearEnd();
  if (!action && page.pending.contains(document.activeElement)) settle();
  show(page.pending, action);
  if (!action) return;
  page.summary.textContent = text(action.summary);
  page.summary.tabIndex = page.summary.scrollHeight > page.summary.clientHeight + 1 ? 0 : -1;
  page.yes.disabled = page.no.disabled = talk.answering;
  tick();
  if (follow) toEnd();
}

function tick() {
  if (!talk.pending) return;
  const left = talk.deadline - talk.now;
  show(page.left, Number.isFinite(left));
  page.left.textContent = speech.say('left', { time: speech.countdown(left) });
  page.left.classList.toggle('soon', left < 60_000);
  if (left < 60_000 && left > 0 && !warned) {
    warned = true;
    tell(speech.say('minute'));
  }
  // Until the clocks are compared, and while an answer is on its way, only the server can say that it is over.
  if (left <= 0 && ready && !talk.answering) talk.expire();
}

function answer(choice) {
  if (!talk.pending || talk.answering) return;
  talk.answer(choice, speech.say(choice));
  settle();
}

// --- composer ---

const length = (value) => [...value].length;

function measure() {
  const n = length(page.text.value.trim());
  page.text.dir = n === 0 ? '' : 'auto'; // empty, it goes by the page's language
  page.text.style.height = 'auto';
  page.text.style.height = `${page.text.scrollHeight}px`;
  page.send.disabled = n === 0 || n > LIMIT;
  page.count.textContent = speech.say('count', { n, limit: LIMIT });
  page.count.classList.toggle('over', n > LIMIT);
  page.text.setAttribute('aria-invalid', String(n > LIMIT));
  write(DRAFT, page.text.value);
}

function fill(value) {
  page.text.value = value;
  measure();
  page.text.focus();
}

function say(words) {
  show(page.newest, false);
  talk.send(words);
}

function submit(event) {
  event?.preventDefault();
  const words = page.text.value.trim();
  if (words === '' || length(words) > LIMIT) return;
  page.text.value = '';
  measure();
  page.text.focus();
  say(words);
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
  document.documentElement.lang = speech.language;
  document.documentElement.dir = speech.dir;
  for (const node of document.querySelectorAll('[data-word]')) node.textContent = speech.say(node.dataset.word);
  for (const node of document.querySelectorAll('[data-label]')) node.setAttribute('aria-label', speech.say(node.dataset.label));
  page.text.placeholder = speech.say('placeholder');
  page.new.title = speech.say('newChat');
  page.ideas.replaceChildren(...speech.ideas().map((idea) => make('li', {}, reply('plain', idea, idea))));
  page.offline.textContent = navigator.onLine ? '' : speech.say('offline');
  talk.language = speech.language;
  introduce();
  drawAll();
  drawPending();
  measure();
}

function choose() {
  speech = new Speech(page.language.value);
  write(LANGUAGE, speech.language);
  speak();
}

/** Names what answers. Rules are called rules. */
function introduce() {
  const rules = /\brules?\b/i.test(model);
  page.model.textContent = model && speech.say(rules ? 'rules' : 'model', { model });
}

async function lookUpModel() {
  try {
    model = text((await talk.health()).model);
  } catch {
    return; // asked again when the connection is back
  }
  introduce();
}

async function begin() {
  talk?.close();
  ready = false;
  broken = null;
  talk = new Conversation(view);
  page.working.replaceChildren();
  show(page.newest, false);
  speak();
  toEnd();
  const current = talk;
  await load(() => current.open());
  if (current !== talk) return;
  ready = true;
  drawRest();
  drawPending();
  toEnd();
}

/**
 * Reads with read, in silence: what was said before is not announced as if it were new. That nobody asked
 * for it (idle) is no trouble to show when it fails.
 */
async function load(read, idle = false) {
  page.log.setAttribute('aria-live', 'off');
  page.earlier.disabled = true;
  try {
    await read();
  } catch (error) {
    if (!idle) broken = error;
    drawRest();
  } finally {
    page.earlier.disabled = false;
    requestAnimationFrame(() => page.log.setAttribute('aria-live', 'polite'));
  }
}

async function earlier() {
  if (page.earlier.disabled) return;
  const held = document.activeElement === page.earlier;
  await load(() => (broken ? talk.refresh() : talk.earlier()));
  if (held && page.earlier.hidden) page.scroll.focus({ preventScroll: true });
  else if (held) page.earlier.focus({ preventScroll: true });
}

function connection() {
  page.offline.textContent = navigator.onLine ? '' : speech.say('offline');
  for (const entry of talk.entries) if (entry.status === 'waiting') redraw(entry);
  if (!navigator.onLine) return;
  if (!model) lookUpModel();
  talk.resume();
  load(() => talk.refresh(), true);
}

function askNew() {
  page.sure.returnValue = 'no';
  page.sure.showModal();
}

function startNew() {
  if (page.sure.returnValue !== 'yes') return;
  talk.close();
  Conversation.forget();
  begin();
  settle();
}

page.language.append(...Object.entries(languages).map(([tag, name]) => make('option', { value: tag, lang: tag }, name)));
page.language.value = speech.language;
page.language.addEventListener('change', choose);
page.new.addEventListener('click', askNew);
page.sure.addEventListener('close', startNew);
page.yes.addEventListener('click', () => answer('yes'));
page.no.addEventListener('click', () => answer('no'));
page.composer.addEventListener('submit', submit);
page.text.addEventListener('input', measure);
page.text.addEventListener('keydown', keyed);
page.earlier.addEventListener('click', earlier);
page.newest.addEventListener('click', () => { toEnd(); settle(); });
page.scroll.addEventListener('scroll', () => { if (nearEnd()) show(page.newest, false); }, { passive: true });
addEventListener('online', connection);
addEventListener('offline', connection);
addEventListener('resize', measure);
addEventListener('storage', (event) => { if (Conversation.keeps(event.key) && talk.replaced) begin(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden && ready) load(() => talk.refresh(), true); });
setInterval(tick, 1000);

page.text.value = read(DRAFT) ?? '';
begin();
lookUpModel();
if (typing.matches) page.text.focus();
