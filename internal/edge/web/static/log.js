// What was said, as a list: messages in bubbles, their cards, photos and maps, by day.
//
// A card that comes again about the same thing changes the one that is shown, wherever that is, and is
// only mentioned where it came; when that is far up by then, it is shown there as well. So it is with maps. What
// waits for a yes is shown below the list, with its buttons, and not in the list until it is settled.

import { drawCard, drawMention, headline, keyOf, offered, pinsOf } from './cards.js';
import { icon, linked, list, make, outward, safe, show, text } from './dom.js';
import { chart, spot } from './map.js';

const FAR = 12;            // so many messages further up, a card is out of sight
const TOGETHER = 4 * 60_000; // messages no further apart than this show one time

const PIN = 'M12 21s7-6.6 7-11.5a7 7 0 0 0-14 0C5 14.4 12 21 12 21zm0-9a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5z';

export class Log {
  #page;   // the nodes: log, scroll, newest
  #ui;     // {speech, talk, tiles, say, tell, settle, remedy(entry)}
  #nodes = new Map();  // entry to its node
  #slots = new Map();  // node of a card to what it shows
  #truth = new Map();  // what cards are about to {card: the newest one, words}
  #places = new Map(); // entry to the roles of its cards: shown, mentioned, left out
  #asks;               // the entry whose question waits for its answer
  #asked;              // the id of what it asks

  constructor(page, ui) {
    [this.#page, this.#ui] = [page, ui];
    page.scroll.addEventListener('scroll', () => { if (this.nearEnd) show(page.newest, false); }, { passive: true });
  }

  get nearEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#page.scroll;
    return scrollHeight - scrollTop - clientHeight < 120;
  }

  toEnd() { this.#page.scroll.scrollTop = this.#page.scroll.scrollHeight; }

  /** Shows all of entries anew. */
  reset() {
    this.#page.log.setAttribute('aria-busy', 'true');
    this.#survey(true);
    this.#slots.clear();
    this.#nodes = new Map(this.#ui.talk.entries.map((entry) => [entry, this.#draw(entry)]));
    this.#page.log.replaceChildren(...this.#nodes.values());
    this.arrange();
    this.#page.log.removeAttribute('aria-busy');
  }

  /** Shows what waits for an answer only where its buttons are. */
  ask() {
    const before = this.#asks;
    this.#asks = this.#asking();
    for (const entry of new Set([before, this.#asks])) if (this.#nodes.has(entry)) this.change(entry);
  }

  #asking() {
    const { entries, pending } = this.#ui.talk;
    if (pending && pending.id === this.#asked && entries.includes(this.#asks)) return this.#asks; // later ones may say it too
    this.#asked = pending?.id;
    const offer = text(pending?.summary);
    return offer ? entries.findLast((e) => e.direction === 'outbound' && (e.text.includes(offer) || e.cards.some(offered))) : undefined;
  }

  add(entry) {
    const { log, scroll, newest } = this.#page;
    const follow = this.nearEnd || entry.direction === 'inbound';
    const { entries } = this.#ui.talk;
    const next = entries[entries.indexOf(entry) + 1];
    this.#survey();
    const node = this.#draw(entry);
    const height = scroll.scrollHeight;
    const before = this.#nodes.get(next);
    this.#nodes.set(entry, node);
    log.insertBefore(node, before?.previousElementSibling?.className === 'day' ? before.previousElementSibling : before ?? null);
    this.#update();
    this.arrange();
    if (next) scroll.scrollTop += scroll.scrollHeight - height; // what is read stays where it is
    else if (follow) this.#reveal(node);
    else show(newest, true);
  }

  change(entry) {
    const follow = this.nearEnd;
    const old = this.#nodes.get(entry);
    this.#survey();
    if (old) {
      const held = old.contains(document.activeElement);
      const node = this.#draw(entry);
      this.#nodes.set(entry, node);
      old.replaceWith(node);
      if (held) this.#ui.settle();
      this.#update();
    }
    this.arrange();
    if (follow && entry === this.#ui.talk.entries.at(-1)) this.toEnd();
  }

  remove(entry) {
    this.#nodes.get(entry)?.remove();
    this.#nodes.delete(entry);
    this.#survey();
    this.#update();
    this.arrange();
  }

  /** A remark of the page itself; it is not part of the conversation. */
  note(words) {
    const follow = this.nearEnd;
    this.#page.log.append(make('p', { className: 'note' }, words));
    if (follow) this.toEnd();
  }

  /** Puts a heading where a day begins, and one time under what was said together. */
  arrange() {
    let day = '', before;
    for (const node of [...this.#page.log.children]) {
      if (node.className === 'day') { node.remove(); continue; }
      const time = node.querySelector('.foot time');
      if (!time) continue;
      const at = Date.parse(time.dateTime);
      const today = this.#ui.speech.day(at, this.#ui.talk.now);
      if (today !== day) node.before(make('p', { className: 'day' }, make('span', {}, today)));
      const own = node.classList.contains('own');
      const together = today === day && at - before?.at < TOGETHER;
      before?.node.classList.toggle('joined', together);
      before?.node.classList.toggle('close', together && before.own === own);
      [day, before] = [today, { node, own, at }];
    }
    before?.node.classList.remove('joined', 'close');
  }

  // Brings node into view: its end, or its beginning when it is taller than what can be seen.
  #reveal(node) {
    const { scroll } = this.#page;
    if (node.offsetHeight < scroll.clientHeight * 0.8) this.toEnd();
    else scroll.scrollTop += node.getBoundingClientRect().top - scroll.getBoundingClientRect().top - 8;
  }

  // --- an entry ---

  #draw(entry) {
    const { speech } = this.#ui;
    const own = entry.direction === 'inbound';
    const pins = this.#pins(entry);
    const cards = entry.cards.map((_, i) => this.#slot(entry, i, pins)).filter(Boolean);
    const media = list(entry.media).map((photo, i) => this.#photo(photo, i)).filter(Boolean);
    const words = this.#words(entry);
    const shared = own && (entry.location || !entry.text && !media.length);
    return make('article', { className: own ? 'entry own' : 'entry', 'aria-live': entry.growing ? 'off' : undefined }, // heard whole, when it is
      make('span', { className: 'unseen' }, (own ? speech.say('you') : 'Merve') + ': '),
      media.length ? make('ul', { className: 'photos' }, ...media.map((photo) => make('li', {}, photo))) : null,
      words ? make('p', { className: 'bubble', dir: 'auto' }, ...linked(words)) : null,
      shared ? make('p', { className: 'bubble here' }, icon(PIN), speech.say('hereSent')) : null,
      ...cards,
      this.#mapped(entry, pins) ? null : this.#map(pins),
      make('p', { className: 'foot' },
        make('time', { dateTime: new Date(entry.at).toISOString() }, speech.time(entry.at)), this.#state(entry)),
      this.#trouble(entry));
  }

  // What an entry says, without the offer that is shown below.
  #words(entry) {
    const offer = entry === this.#asks ? text(this.#ui.talk.pending?.summary) : '';
    const rest = offer ? entry.text.replace(offer, '').replace(/\n{3,}/g, '\n\n').trim() : '';
    return rest || entry.text;
  }

  #state({ status }) {
    if (status !== 'sending' && status !== 'waiting') return null;
    return make('span', { className: 'state' }, this.#ui.speech.say(navigator.onLine ? 'sending' : 'waiting'));
  }

  // Why an entry was not answered, and what can be done about it.
  #trouble(entry) {
    if (entry.status !== 'failed') return null;
    const { speech } = this.#ui;
    const { kind, detail, traceId, passing } = entry.error;
    return make('div', { className: 'trouble' },
      make('p', {}, speech.say(kind),
        kind === 'refused' && detail ? make('span', { dir: 'auto' }, ' ' + detail) : null,
        passing && !entry.stale ? ' ' + speech.say('again') : null,
        kind === 'server' && traceId ? make('small', {}, speech.say('reference', { id: traceId })) : null),
      this.#ui.remedy(entry));
  }

  #photo(photo, i) {
    const label = this.#ui.speech.say('photo', { n: i + 1 });
    const [thumb, whole] = [/^data:image\/jpeg;/.test(text(photo?.thumb)) ? photo.thumb : '', safe(photo?.url)];
    if (!thumb && !whole) return null;
    if (!thumb && /^(audio|video|application)\//.test(text(photo.contentType))) return outward(whole, whole.split('/').pop().split('?')[0]);
    const image = make('img', { alt: label, loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', src: thumb || whole });
    image.addEventListener('load', () => { if (this.nearEnd) this.toEnd(); });
    image.addEventListener('error', () => image.replaceWith(make('span', { className: 'gone' }, label)));
    return thumb ? image : outward(whole, image);
  }

  // --- where things are ---

  // The places of an entry, each once, numbered when there are several.
  #pins(entry) {
    const { speech } = this.#ui;
    const pins = [];
    const add = (pin, i) => {
      const there = pins.find((p) => same(p, pin));
      if (there) there.name ||= pin.name;
      else pins.push({ ...pin, card: i });
    };
    entry.cards.forEach((card, i) => { if (this.#role(entry, i) === 'shown') pinsOf(card, speech).forEach((pin) => add(pin, i)); });
    if (spot(entry.mapLocation)) add({ ...spot(entry.mapLocation), name: text(entry.mapLocation.label) || text(entry.mapLocation.address) }, -1);
    if (spot(entry.location)) add({ ...spot(entry.location), name: '' }, -1);
    const each = pins.every((pin, i) => pin.card > (pins[i - 1]?.card ?? -1)); // a pin a card: numbered as the cards are
    if (pins.length > 1) pins.forEach((pin, i) => { pin.mark = String(each ? pin.card + 1 : i + 1); });
    return pins;
  }

  // Whether a map with all of an entry's places is near above it.
  #mapped(entry, pins) {
    const { entries } = this.#ui.talk;
    const n = entries.indexOf(entry);
    const near = entries.slice(Math.max(0, n - FAR), Math.max(0, n)).flatMap((e) => this.#pins(e));
    return pins.length > 0 && !entry.location && pins.every((pin) => near.some((p) => same(p, pin)));
  }

  #map(pins) {
    if (!pins.length) return null;
    const { speech, tiles } = this.#ui;
    const links = pins.map(({ lat, lng, name, mark }) => {
      const link = outward(`https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=16/${lat}/${lng}`,
        mark ? make('span', { className: 'number' }, mark) : icon(PIN), make('span', { dir: 'auto' }, name || speech.say('map')), name ? make('span', { className: 'unseen' }, `: ${speech.say('map')}`) : '');
      link.className = 'map';
      link.dir = '';
      return make('li', {}, link);
    });
    return make('figure', { className: 'card geo' }, chart(pins, tiles, speech), make('figcaption', {}, make('ul', {}, ...links)));
  }

  // --- cards that change ---

  #role(entry, i) { return this.#places.get(entry)?.[i] ?? 'shown'; }

  // Finds out which card of a thing is the newest, and where it is shown. Silent, nobody is told what changed.
  #survey(silent = false) {
    const { talk, speech } = this.#ui;
    const found = new Map();
    this.#places.clear();
    this.#asks = this.#asking();
    talk.entries.forEach((entry, n) => {
      const roles = entry.cards.map((card) => {
        const key = keyOf(card);
        if (!key) return 'shown';
        if (entry === this.#asks && offered(card)) return 'out';
        const known = found.get(key);
        if (!known || Date.parse(card.updatedAt) >= Date.parse(known.card.updatedAt) || !known.card.updatedAt || !card.updatedAt) {
          found.set(key, { card, shown: known?.shown ?? n, in: known?.in });
        }
        const thing = found.get(key);
        if (known && thing.in === entry) return 'out';
        thing.in = entry;
        if (known && n - thing.shown <= FAR) return 'mentioned';
        thing.shown = n;
        return 'shown';
      });
      this.#places.set(entry, roles);
    });
    for (const [key, thing] of found) {
      const { title, status } = headline(thing.card, speech);
      thing.words = `${title}: ${status}`;
      const before = this.#truth.get(key);
      if (!silent && before && before.words !== thing.words && status) this.#ui.tell(thing.words);
    }
    this.#truth = found;
  }

  // The node of an entry's i-th card, which goes on to show what is true of its thing.
  #slot(entry, i, pins) {
    const card = entry.cards[i];
    const key = keyOf(card ?? {});
    const role = this.#role(entry, i);
    if (role === 'out') return null;
    const now = this.#truth.get(key)?.card ?? card;
    const mark = pins.find((pin) => pin.card === i)?.mark;
    const node = role === 'mentioned' ? drawMention(now, this.#ui, () => this.#visit(key)) : drawCard(now, this.#ui, mark);
    if (key && node) this.#slots.set(node, { entry, i, key, role, now });
    return node;
  }

  // Goes to where a thing is shown.
  #visit(key) {
    for (const [node, slot] of this.#slots) {
      if (slot.key !== key || slot.role !== 'shown' || !node.isConnected) continue;
      if ('open' in node) node.open = true;
      (node.querySelector('summary') ?? node).focus({ preventScroll: true });
      node.scrollIntoView({ block: 'center' });
    }
  }

  // Draws anew the cards that are not as they should be any more. Those who listen are told in few words, and
  // not read the whole card again.
  #update() {
    const { log } = this.#page;
    const live = log.getAttribute('aria-live');
    for (const [node, slot] of [...this.#slots]) {
      if (!node.isConnected) { this.#slots.delete(node); continue; }
      const now = this.#truth.get(slot.key)?.card;
      if (!now || now === slot.now && slot.role === this.#role(slot.entry, slot.i)) continue;
      log.setAttribute('aria-live', 'off');
      const [held, whole] = [node.contains(document.activeElement), node === document.activeElement];
      const next = this.#slot(slot.entry, slot.i, this.#pins(slot.entry));
      this.#slots.delete(node);
      if (next) node.replaceWith(next); else node.remove();
      if (whole) next?.focus({ preventScroll: true });
      else if (held) (next?.querySelector('a, button') ?? next)?.focus({ preventScroll: true });
    }
    if (log.getAttribute('aria-live') !== live) requestAnimationFrame(() => log.setAttribute('aria-live', live));
  }
}

/** Whether two pins are of one place: within some ten metres. */
function same(a, b) { return Math.abs(a.lat - b.lat) < 1e-4 && Math.abs(a.lng - b.lng) < 1e-4; }
