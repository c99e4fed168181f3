// The bookings of a business: what was held and confirmed, when, and the evidence of the YES.

import { call, list, path } from './api.js';
import { button, empty, facts, heading, make, money, said, section, trouble, when } from './dom.js';
import { byBusiness } from './business.js';
import { receipt } from './orders.js';

const states = { draft: 'Draft', hold: 'Held, waits for the customer', confirmed: 'Confirmed', cancelled: 'Cancelled', expired: 'Not confirmed in time' };

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

async function one({ query, signal, address }) {
  const { transaction: t, events, receipt: yes } = await call(path('transactions', query.get('booking')), { signal });
  return [
    heading(`Booking ${t.code}`), make('p', { className: 'back' }, make('a', { href: address({ business: t.business }) }, '← All bookings of this business')),
    make('p', {}, badge(t.state), ' ', make('bdi', {}, t.listingName)),
    facts(['What', make('bdi', {}, t.offeringName)], ['From', when(t.start)], ['To', when(t.end)], ['People', String(t.party)], ['Price', money(t.priceMinor, t.currency)],
      t.customerName ? ['Customer', make('bdi', {}, t.customerName)] : null, t.note ? ['Note', make('bdi', {}, t.note)] : null, t.holdExpiresAt && t.state === 'hold' ? ['Held until', when(t.holdExpiresAt)] : null,
      t.thread ? ['Thread', make('a', { href: `/admin/threads?${new URLSearchParams({ marketId: t.market, thread: t.thread })}` }, 'Read the conversation')] : null,
      ['Number', make('code', {}, t.transactionId)]),
    section('What happened', make('ol', { className: 'events' }, list(events).map((e) => make('li', {}, when(e.at), ' ', make('b', {}, states[e.type] ?? said(e.type)), e.reason ? [': ', make('bdi', {}, e.reason)] : '')))),
    receipt(yes),
  ];
}
