// The cards that a reply may have: what can be chosen, and what became of what was chosen.
// A kind of card that is not known shows its title; a field that is not as it should be is left out.

import { icon, line, lines, list, make, outward, safe, text } from './dom.js';
import { spot } from './map.js';

/** What a status is called, and how it is meant: good, warm (not over yet) or bad. */
const statuses = {
  booking: {
    draft: ['draft'], hold: ['hold', 'warm'], confirmed: ['confirmed', 'good'], completed: ['finished', 'good'],
    cancelled: ['cancelled', 'bad'], expired: ['closed', 'bad'], no_show: ['closed', 'bad'],
  },
  order: {
    proposed: ['asked', 'warm'], placed: ['asking', 'warm'], accepted: ['accepted', 'good'], refused: ['declined', 'bad'],
    unanswered: ['unanswered', 'bad'], done: ['finished', 'good'], cancelled: ['cancelled', 'bad'], released: ['cancelled'], expired: ['closed', 'bad'],
  },
  taxi: {
    proposed: ['asked', 'warm'], requested: ['seeking', 'warm'], assigned: ['coming', 'good'], arrived: ['there', 'good'], done: ['finished', 'good'],
    cancelled: ['cancelled', 'bad'], unserved: ['unserved', 'bad'], released: ['cancelled'], expired: ['closed', 'bad'],
  },
  payment: { waiting: ['unpaid', 'warm'], paid: ['paid', 'good'], refunded: ['refunded'], failed: ['unmade', 'bad'] },
};

const kinds = { food: 'order', service: 'service', viewing: 'viewing' };

/** What a card is about, the same in all that are about it; '' for a card that only shows something. */
export function keyOf(card) {
  const id = text(card?.transactionId) || text(card?.id);
  return id && ['booking', 'order', 'taxi', 'payment', 'listing'].includes(card.type) ? `${card.type} ${id}` : '';
}

/** Whether a card is about what waits for a yes. */
export function offered(card) { return keyOf(card) !== '' && ['hold', 'proposed'].includes(card.status); }

const does = { confirm_transaction: 'book', confirm_order: 'orderIt', confirm_taxi: 'orderIt' };

/** What a yes to a pending action does, and for how much. The latest of cards that waits for a yes is about it. */
export function consequence(action, cards, speech) {
  if (!Object.hasOwn(does, action.kind)) return speech.say('yes');
  const card = cards.findLast((c) => offered(c));
  const price = speech.money(card?.price) || speech.money(card?.total);
  return [speech.say(does[action.kind]), price].filter(Boolean).join(' · ');
}

/** A card in words: {title, status}. */
export function headline(card, speech) {
  const known = Object.hasOwn(statuses, card.type) ? statuses[card.type] : {};
  const status = text(card.status);
  return {
    title: text(card.title) || speech.say(card.type),
    status: Object.hasOwn(known, status) ? speech.say(known[status][0]) : status,
    tone: Object.hasOwn(known, status) ? known[status][1] ?? '' : '',
  };
}

/** The places that a card is about, as pins of a map. */
export function pinsOf(card, speech) {
  const pin = (where, name) => (spot(where) ? [{ ...spot(where), name }] : []);
  switch (card?.type) {
    case 'order': return pin(card.delivery, text(card.delivery?.address) || text(card.title));
    case 'taxi': return [
      ...pin(card.pickup, text(card.pickup?.address) || speech.say('from')),
      ...pin(card.dropoff, text(card.dropoff?.address) || speech.say('to')),
    ];
  }
  return pin(card?.location, text(card?.title));
}

/** The node of a card; null for what is none. mark is what its pin on the map has. */
export function drawCard(card, ui, mark = '') {
  if (!card || typeof card !== 'object') return null;
  switch (card.type) {
    case 'listing': return listing(card, ui, mark);
    case 'place': return place(card, ui, mark);
    case 'booking': return booking(card, ui);
    case 'order': return order(card, ui);
    case 'taxi': return taxi(card, ui);
    case 'payment': return payment(card, ui);
  }
  return text(card.title) ? other(card) : null;
}

/** A card of any other kind, such as what was found on the web. */
function other(card) {
  const way = (to) => (safe(to?.url) ? outward(to.url, text(to.title)) : make('strong', { dir: 'auto' }, text(to?.title)));
  return make('div', { className: 'card other' }, lines(way(card), line(card.subtitle), ...list(card.links).map(way), line(card.note)));
}

/** What stands in a later message for a card that is shown further up: what it is, and how it is now. */
export function drawMention(card, ui, go) {
  const { title, status, tone } = headline(card, ui.speech);
  return make('button', { type: 'button', className: 'mention', onclick: go },
    icon('M12 19V5m-6 6 6-6 6 6'), make('span', { dir: 'auto' }, title), status ? pill(status, tone) : null);
}

function pill(words, tone) {
  return make('span', { className: 'status', 'data-tone': tone }, words);
}

// --- what can be chosen ---

/** A listing: folded it is one row; tapped, it offers to book one of its offerings and to tell more. */
function listing(card, ui, mark) {
  const { speech } = ui;
  const title = text(card.title);
  const offerings = list(card.offerings).filter((o) => text(o?.name));
  const price = speech.money(card.price);
  return make('details', { className: 'card listing' },
    make('summary', {},
      number(mark),
      picture(card.image),
      lines(make('strong', { dir: 'auto' }, title), line(card.subtitle), line(card.place)),
      price ? make('span', { className: 'price' }, price) : null),
    make('div', { className: 'choices', role: 'group', 'aria-label': `${speech.say('choices')}: ${title}` },
      ...(offerings.length > 1 ? offerings.map((o) => offering(title, o, card.price?.currency, ui)) : [
        reply(ui, 'main', speech.say('book'), speech.say('bookText', { name: [title, text(offerings[0]?.name)].filter(Boolean).join(' – ') })),
      ]),
      reply(ui, 'plain', speech.say('details'), speech.say('detailsText', { name: title }))));
}

function offering(title, { name, price }, currency, ui) {
  const cost = ui.speech.money(Number.isFinite(price) ? { amount: price, currency } : price);
  const button = reply(ui, 'main', ui.speech.say('book'), ui.speech.say('bookText', { name: `${title} – ${name}` }));
  button.setAttribute('aria-label', ui.speech.say('bookOne', { name }));
  return make('div', { className: 'offering' },
    make('span', { dir: 'auto' }, name), cost ? make('span', { className: 'price' }, cost) : null, button);
}

/** The buttons of what the latest of entries offers to choose from, but for what a card of it has buttons for. */
export function drawChoices(entries, ui) {
  const { growing, cards, choices } = entries.at(-1) ?? {};
  if (growing) return [];
  const carded = cards?.flatMap((c) => [c?.title, ...list(c?.offerings).map((o) => o?.name)]);
  return list(choices).filter((c) => !carded.includes(c.label)).map(({ label, detail }) => reply(ui, 'plain', [label, detail].filter(Boolean).join(' · '), label));
}

/** A button that says something for the customer. */
export function reply(ui, className, label, words) {
  return make('button', { type: 'button', className, onclick: () => { ui.say(words); ui.settle(); } }, label);
}

/** The number of a card's pin on the map. */
function number(mark) { return mark ? make('span', { className: 'number', 'aria-hidden': 'true' }, mark) : null; }

function picture(address) {
  const href = /^data:image\/(png|jpeg|webp|gif|avif);/.test(text(address)) ? address : safe(address);
  if (!href) return null;
  const image = make('img', { alt: '', width: 64, height: 64, loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', src: href });
  image.addEventListener('error', () => image.remove());
  return image;
}

function place(card, ui, mark) {
  const { speech } = ui;
  const far = Number.isFinite(card.distanceMeters) ? speech.distance(card.distanceMeters) : '';
  const call = dial(card.phone, card.title, ui);
  return make('div', { className: 'card place' },
    number(mark),
    lines(make('strong', { dir: 'auto' }, text(card.title)), line(card.subtitle), line(card.address),
      far || typeof card.open === 'boolean' ? make('span', { className: 'facts' },
        typeof card.open === 'boolean' ? make('span', { className: card.open ? 'good' : 'bad' }, speech.say(card.open ? 'open' : 'shut')) : null,
        far ? make('span', {}, far) : null) : null),
    call);
}

/** A link that calls a number, when it looks like one. */
function dial(number, whom, { speech }) {
  const digits = text(number).replace(/[\s().-]/g, '');
  if (!/^\+?\d{3,15}$/.test(digits)) return null;
  return make('a', { className: 'button plain', href: `tel:${digits}`, 'aria-label': speech.say('callOne', { name: text(whom) || digits }) },
    icon('M6 3h3l2 5-2.500 1.500a11 11 0 0 0 5 5L15 12l5 2v3a3 3 0 0 1-3 3A14 14 0 0 1 3 6a3 3 0 0 1 3-3z'), speech.say('call'));
}

// --- what became of it ---

/** A card with a status. Rows are [word, value, how it is set]. */
function slip(card, ui, { label, subtitle, above = [], rows, actions = [] }) {
  const { speech } = ui;
  const { title, status, tone } = headline(card, speech);
  const shown = rows.filter(([, value]) => value).map(([word, value, className = '']) => make('div', { className },
    make('dt', {}, speech.say(word)), make('dd', { dir: className === 'code' ? 'ltr' : 'auto' }, value)));
  const buttons = actions.filter(Boolean);
  return make('div', { className: `card slip ${card.type}`, role: 'group', tabIndex: -1, 'aria-label': `${speech.say(label)}: ${title}` },
    make('header', {}, lines(make('strong', { dir: 'auto' }, title), line(subtitle)), status ? pill(status, tone) : null),
    ...above,
    shown.length ? make('dl', {}, ...shown) : null,
    buttons.length ? make('div', { className: 'actions' }, ...buttons) : null);
}

function booking(card, ui) {
  const { speech } = ui;
  return slip(card, ui, {
    label: 'booking', subtitle: card.subtitle,
    rows: [
      ['when', when(card.when, card, speech)], ['party', text(card.party)], ['price', speech.money(card.price)], ['code', text(card.code), 'code'],
    ],
  });
}

function when(value, card, speech) { return text(value) && speech.when(text(value), text(card.timeZone) || undefined); }

function order(card, ui) {
  const { speech } = ui;
  const kind = Object.hasOwn(kinds, card.kind) ? kinds[card.kind] : 'order';
  const items = list(card.lines).filter((item) => text(item?.name));
  return slip(card, ui, {
    label: kind, subtitle: speech.say(kind),
    above: items.length ? [make('ul', { className: 'items' }, ...items.map((item) => make('li', {},
      make('span', { className: 'count' }, `${text(item.quantity) || 1} ×`),
      lines(make('span', { dir: 'auto' }, text(item.name)), line(list(item.options).map(text).filter(Boolean).join(', '))),
      make('span', { className: 'price' }, speech.money(item.total)))))] : [],
    rows: [
      ['total', speech.money(card.total), 'sum'], ['when', when(card.when, card, speech)], ['eta', when(card.eta, card, speech)],
      ['delivery', text(card.delivery?.address)], ['code', text(card.code), 'code'],
    ],
  });
}

const way = ['requested', 'assigned', 'arrived', 'done'];

function taxi(card, ui) {
  const { speech } = ui;
  const at = way.indexOf(card.status);
  const driver = card.driver && typeof card.driver === 'object' ? card.driver : {};
  const calls = ['assigned', 'arrived'].includes(card.status);
  return slip(card, ui, {
    label: 'taxi', subtitle: text(card.title) && text(card.title) !== speech.say('taxi') ? speech.say('taxi') : '',
    above: at < 0 ? [] : [make('ol', { className: 'steps', role: 'list' }, ...way.map((step, i) => make('li',
      { className: i <= at ? 'past' : '', 'aria-current': i === at ? 'step' : undefined },
      make('span', { className: 'unseen' }, speech.say(statuses.taxi[step][0])))))],
    rows: [
      ['when', when(card.when, card, speech)], ['from', text(card.pickup?.address)], ['to', text(card.dropoff?.address)], ['driver', text(driver.name)],
      ['vehicle', text(driver.vehicle)], ['plate', text(driver.plate), 'code'], ['code', text(card.code), 'code'],
    ],
    actions: [calls ? dial(driver.phone, driver.name, ui) : null],
  });
}

function payment(card, ui) {
  const { speech } = ui;
  const href = safe(card.url);
  const open = href && ['waiting', 'failed'].includes(card.status);
  const link = open ? outward(href, speech.say('pay')) : null;
  if (link) link.className = 'button main';
  return slip(card, ui, { label: 'payment', subtitle: text(card.title) && speech.say('payment'), rows: [['price', speech.money(card.price), 'sum']], actions: [link] });
}
