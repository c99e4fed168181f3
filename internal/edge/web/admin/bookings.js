// The bookings of a business: what was held and confirmed, when, and the evidence of the YES.

import { call, list, path } from './api.js';
import { button, confirm, empty, facts, heading, make, money, said, section, trouble, when } from './dom.js';
import { byBusiness } from './business.js';
import { receipt } from './orders.js';

const states = { draft: 'Draft', hold: 'Held, waits for the customer', confirmed: 'Confirmed', cancelled: 'Cancelled', expired: 'Not confirmed in time', no_show: 'Nobody came', came: 'Came after all' };

const badge = (state) => make('span', { className: 'status', 'data-status': { confirmed: 'resolved', hold: 'completed' }[state] ?? 'off' }, states[state] ?? said(state));

export async function page(ctx) {
  const { query } = ctx;
  if (query.has('booking')) return one(ctx);
  return byBusiness(ctx, {
    title: 'Bookings', about: 'What customers have booked or were offered, newest first.',
    show: async (business) => {
      const rows = make('ul', { className: 'rows' });
      const rest = make('div', { className: 'rest' });
      await more(ctx, business, rows, rest);
      return rows.children.length ? make('div', {}, rows, rest) : empty('No bookings', 'Nobody has booked here yet.');
    },
  });
}

async function more({ signal, address }, business, rows, rest, after) {
  const { transactions, next } = await call(`transactions?${new URLSearchParams({ businessId: business, limit: 25, ...(after && { after }) })}`, { signal });
  rows.append(...list(transactions).map((t) => make('li', { className: 'row' },
    make('h2', {}, make('a', { href: address({ business, booking: t.transactionId }) }, t.code), ' · ', make('bdi', {}, t.listingName)),
    make('p', {}, badge(t.state), ' ', make('bdi', {}, t.offeringName), ` · ${t.party} people · ${money(t.priceMinor, t.currency)}`),
    make('p', { className: 'soft' }, 'For ', when(t.start), t.customerName ? [' · ', make('bdi', {}, t.customerName)] : ''))));
  async function onward() {
    try { await more({ signal, address }, business, rows, rest, next); } catch (error) { rest.replaceChildren(trouble(error, onward)); }
  }
  rest.replaceChildren(...(next ? [button('Show more', onward)] : []));
}

async function one(ctx) {
  const { query, signal, address } = ctx;
  const { transaction: t, events, receipt: yes } = await call(path('transactions', query.get('booking')), { signal });
  return [
    heading(`Booking ${t.code}`), make('p', { className: 'back' }, make('a', { href: address({ business: t.business }) }, '← All bookings of this business')),
    make('p', {}, badge(t.state), ' ', make('bdi', {}, t.listingName)),
    facts(['What', make('bdi', {}, t.offeringName)], ['From', when(t.start)], ['To', when(t.end)], ['People', String(t.party)], ['Price', money(t.priceMinor, t.currency)],
      t.customerName ? ['Customer', make('bdi', {}, t.customerName)] : null, t.note ? ['Note', make('bdi', {}, t.note)] : null, t.holdExpiresAt && t.state === 'hold' ? ['Held until', when(t.holdExpiresAt)] : null,
      t.thread ? ['Thread', make('a', { href: `/admin/threads?${new URLSearchParams({ marketId: t.market, thread: t.thread })}` }, 'Read the conversation')] : null,
      ['Number', make('code', {}, t.transactionId)]),
    section('What happened', make('ol', { className: 'events' }, list(events).map((e) => make('li', {}, when(e.at), ' ', make('b', {}, states[e.type] ?? said(e.type)), e.reason ? [': ', make('bdi', {}, e.reason)] : '')))),
    attendance(t, ctx),
    receipt(yes),
  ];
}

const takeBackFor = 24 * 60 * 60 * 1000; // and then it stands

/** What staff can say of a booking that has begun: nobody came, or somebody did after all. */
function attendance(t, { signal, refresh }) {
  const late = t.state === 'no_show' && Date.now() - Date.parse(t.noShowAt) >= takeBackFor;
  const begun = t.state === 'confirmed' && !t.noShowAt && Date.parse(t.start) <= Date.now();
  if (!begun && (t.state !== 'no_show' || late)) return null;
  const problem = make('div', {});
  async function say(method, question) {
    if (!await confirm(question)) return;
    try {
      await call(path('transactions', t.transactionId, 'no-show'), { method, signal });
      await refresh();
    } catch (error) { problem.replaceChildren(trouble(error)); }
  }
  return section('Did they come?', begun
    ? button('Nobody came', () => say('PUT', { title: 'Nobody came?', text: `The customer is told. ${t.dueMinor ? 'What they paid is kept as their terms say. ' : ''}You can take this back once, within 24 hours.`, yes: 'Nobody came' }))
    : button('They came after all', () => say('DELETE', { title: 'They came after all?', text: 'The customer is told, and it does not count against them. This stands then.', yes: 'They came' })), problem);
}
