// The taxi rides of a market: those that are open, those that nobody took, and all of a day; one of
// them with what happened to it, and the way to cancel it.

import { call, list, path } from './api.js';
import { button, confirm, done, empty, facts, heading, help, make, said, section, tell, trouble, when } from './dom.js';
import { field } from './fields.js';

const states = {
  requested: 'Drivers are being asked', assigned: 'A driver is on the way', arrived: 'The driver is there', done: 'Done', cancelled: 'Cancelled', unserved: 'Nobody took it',
};
const looks = { requested: 'pending', assigned: 'completed', arrived: 'completed', done: 'resolved', unserved: 'bad' };
const tabs = [['', 'All'], ['open', 'Open'], ['unserved', 'Nobody took it']];
const about = {
  '': 'Taxis that customers have ordered, newest first.',
  open: 'Rides that are not over yet, the oldest on top. One that stands open long may have been forgotten: call the driver, or cancel it.',
  unserved: 'Rides that were offered three times and no driver took. The customers were told; you may want to call them.',
};
const nothing = { '': ['No rides', 'Nobody has ordered a taxi.'], open: ['No open rides', 'All rides are over.'], unserved: ['None', 'Every ride found a driver.'] };
const MINUTE = 60_000;

const open = (r) => ['requested', 'assigned', 'arrived'].includes(r.status);
const badge = (r) => make('span', { className: 'status', 'data-status': looks[r.status] ?? 'off' }, states[r.status] ?? said(r.status));

/** For how long an open ride stands longer than it should, in words; '' when it does not. */
function overdue(r) {
  if (!open(r)) return '';
  const since = Date.parse(r.when ?? r.assignedAt ?? r.requestedAt);
  const minutes = Math.floor((Date.now() - since) / MINUTE);
  if (minutes < (r.status === 'requested' ? 10 : 60)) return '';
  return `Open for ${minutes < 120 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours`}`;
}

const late = (r) => (overdue(r) ? make('span', { className: 'status', 'data-status': 'bad' }, overdue(r)) : null);
const where = (p) => (p ? p.address || `${p.lat}, ${p.lng}` : 'said to the driver');

export async function page(ctx) {
  const { query, market, signal, go, address } = ctx;
  if (!market) return [heading('Rides'), empty('There is no market yet', 'Add one on the page Market.')];
  if (query.has('ride')) return one(ctx);
  const status = tabs.some(([key]) => key === query.get('status')) ? query.get('status') : '';
  const day = status === 'open' ? '' : query.get('day') ?? '';
  const rows = make('ul', { className: 'rows' });
  const rest = make('div', { className: 'rest' });
  await more({ market, signal, address }, { status, day }, rows, rest);
  return [
    heading('Rides'), help(about[status]),
    make('nav', { className: 'tabs', 'aria-label': 'Which rides' }, tabs.map(([key, word]) => make('a', { href: address({ ...(key && { status: key }), ...(day && key !== 'open' && { day }) }), 'aria-current': key === status ? 'page' : undefined }, word))),
    status === 'open' ? null : make('div', { className: 'settings' }, field('Day', (base) => make('input', { type: 'date', value: day, onchange: (e) => go(address({ ...(status && { status }), ...(e.target.value && { day: e.target.value }) })), ...base }), { note: 'Where the market is. Empty shows all days.' })),
    rows.children.length ? rows : empty(nothing[status][0], day ? 'None on this day.' : nothing[status][1]), rest,
  ];
}

async function more(ctx, asked, rows, rest, after) {
  const { market, signal, address } = ctx;
  const params = new URLSearchParams({ limit: asked.status === 'open' ? 100 : 25, ...Object.fromEntries(Object.entries(asked).filter(([, v]) => v)), ...(after && { after }) });
  const { rides, next } = await call(`${path('markets', market, 'rides')}?${params}`, { signal });
  rows.append(...list(rides).map((r) => make('li', { className: 'row' },
    make('h2', {}, make('a', { href: address({ ride: r.rideId, thread: r.threadId }) }, r.code), r.district ? [' · ', make('bdi', {}, r.district)] : ''),
    make('p', {}, badge(r), ' ', late(r), ' ', make('bdi', {}, where(r.pickup)), ' → ', make('bdi', {}, where(r.dropoff))),
    make('p', { className: 'soft' }, when(r.requestedAt), r.driver ? [' · ', make('bdi', {}, r.driver.name)] : '', ` · ${offered(r)}`, r.customerName ? [' · ', make('bdi', {}, r.customerName)] : ''))));
  async function onward() {
    try { await more(ctx, asked, rows, rest, next); } catch (error) { rest.replaceChildren(trouble(error, onward)); }
  }
  rest.replaceChildren(...(next ? [button('Show more', onward)] : asked.status === 'open' && list(rides).length === 100 ? [help('These are the 100 oldest.')] : []));
}

const offered = (r) => (r.offers === 0 ? 'not offered yet' : `offered ${r.offers === 1 ? 'once' : `${r.offers} times`}`);

async function one({ query, market, signal, refresh, address }) {
  const at = path('markets', market, 'rides', query.get('thread') ?? '', query.get('ride'));
  const [{ ride: r, events }, staff] = await Promise.all([call(at, { signal }), call(path('markets', market, 'drivers'), { signal })]);
  const names = new Map([...list(staff.drivers).map((d) => [d.id, d.name]), ...(r.driver ? [[r.driver.id, r.driver.name]] : [])]);
  const place = make('div', { className: 'answer' });
  async function cancel() {
    const told = r.driver ? 'The customer and the driver are told.' : 'The customer is told.';
    if (!await confirm({ title: `Cancel ride ${r.code}?`, text: `${told} This cannot be undone.`, yes: 'Cancel the ride' })) return;
    try {
      await call(`${at}/cancel`, { method: 'POST' });
      await refresh();
      const words = `Ride ${r.code} is cancelled. ${told}`;
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return [
    heading(`Ride ${r.code}`), make('p', { className: 'back' }, make('a', { href: address() }, '← All rides')),
    make('p', {}, badge(r), ' ', late(r)),
    facts(
      ['From', make('bdi', {}, where(r.pickup))], ['To', make('bdi', {}, where(r.dropoff))], ['District', r.district ? make('bdi', {}, r.district) : 'Not known'], ['For', r.when ? when(r.when) : 'At once'],
      ['Passengers', String(r.passengers)], r.note ? ['Note for the driver', make('bdi', {}, r.note)] : null,
      r.customerName ? ['Customer', make('bdi', {}, r.customerName)] : null, r.customerPhone ? ['Telephone', make('bdi', {}, r.customerPhone)] : null,
      r.driver ? ['Driver', make('bdi', {}, [r.driver.name, r.driver.phone].filter(Boolean).join(' · '))] : null, r.driver?.vehicle || r.driver?.plate ? ['Car', make('bdi', {}, [r.driver.vehicle, r.driver.plate].filter(Boolean).join(' · '))] : null,
      ['Offered', r.offers ? `${r.offers === 1 ? 'Once' : `${r.offers} times, the last time`}, to ${people(r.asked)}` : 'Not yet'], ['Ordered', when(r.requestedAt)],
      r.assignedAt ? ['Taken', when(r.assignedAt)] : null, r.arrivedAt ? ['Driver there', when(r.arrivedAt)] : null, r.endedAt ? ['Over', when(r.endedAt)] : null,
      ['Thread', make('a', { href: `/admin/threads?${new URLSearchParams({ marketId: market, thread: r.threadId })}` }, 'Read the conversation')]),
    section('What happened', make('ol', { className: 'events' }, list(events).map((e) => make('li', {}, when(e.at), ' ', happened(e, names))))),
    open(r) ? make('div', { className: 'danger' }, place, button('Cancel this ride…', cancel)) : place,
  ];
}

const people = (n) => (n === 0 ? 'nobody: no driver was free' : n === 1 ? 'one driver' : `${n} drivers`);

/** An event of a ride in words. */
function happened(e, names) {
  const driver = make('bdi', {}, names.get(e.driver) ?? e.driver ?? 'a driver');
  switch (e.type) {
    case 'proposed': return 'The customer was asked for YES or NO';
    case 'requested': return [make('b', {}, 'Ordered'), ' by the customer'];
    case 'offered': return [make('b', {}, 'Offered'), ` to ${people(e.drivers ?? 0)}`];
    case 'declined': return [driver, ' said NO'];
    case 'assigned': return [make('b', {}, 'Taken'), ' by ', driver];
    case 'arrived': return [driver, ' is there'];
    case 'done': return make('b', {}, 'Done');
    case 'closed': return [make('b', {}, 'Closed'), ': the driver said nothing more'];
    case 'withdrawn': return [driver, ' gave it back'];
    case 'cancelled': return [make('b', {}, 'Cancelled'), ' by ', e.by ? make('bdi', {}, e.by) : 'the customer'];
    case 'unserved': return make('b', {}, 'Given up: nobody took it');
  }
  return said(e.type);
}
