// The orders of a business: food, services and viewings, and what happened to each.

import { call, list, path } from './api.js';
import { empty, facts, heading, make, money, said, section, when } from './dom.js';
import { byBusiness } from './business.js';

const states = { proposed: 'Waits for the customer', placed: 'Waits for the business', accepted: 'Accepted', refused: 'Refused', unanswered: 'Not answered', done: 'Done', cancelled: 'Cancelled', released: 'Not wanted', expired: 'Not answered by the customer' };
const kinds = { food: 'Food', service: 'Service', viewing: 'Viewing' };
const good = new Set(['accepted', 'done']);

const badge = ({ status }) => make('span', { className: 'status', 'data-status': good.has(status) ? 'resolved' : status === 'placed' ? 'completed' : 'off' }, states[status] ?? said(status));

export async function page(ctx) {
  const { query, signal, address } = ctx;
  if (query.has('code')) return one(ctx);
  return byBusiness(ctx, {
    title: 'Orders', about: 'What customers have ordered in the last 90 days and the business was told of.',
    show: async (business) => {
      const all = list((await call(`orders?${new URLSearchParams({ businessId: business })}`, { signal })).orders);
      if (all.length === 0) return empty('No orders', 'This business has had none in the last 90 days.');
      return make('ul', { className: 'rows' }, all.map((o) => make('li', { className: 'row' },
        make('h2', {}, make('a', { href: address({ business, code: o.code }) }, o.code), ' · ', make('bdi', {}, o.listingName)),
        make('p', {}, badge(o), ` ${kinds[o.kind] ?? o.kind} · `, o.totalMinor ? money(o.totalMinor, o.currency) : 'price on request', o.customerName ? [' · ', make('bdi', {}, o.customerName)] : ''),
        make('p', { className: 'soft' }, when(o.createdAt)))));
    },
  });
}

async function one({ query, signal, address }) {
  const business = query.get('business');
  const { order: o, events } = await call(path('orders', business, query.get('code')), { signal });
  return [
    heading(`Order ${o.code}`), make('p', { className: 'back' }, make('a', { href: address({ business }) }, '← All orders of this business')),
    make('p', {}, badge(o), ' ', make('bdi', {}, o.listingName)),
    facts(
      ['Kind', kinds[o.kind] ?? o.kind], ['Total', o.totalMinor ? money(o.totalMinor, o.currency) : 'On request'], o.feeMinor ? ['Of this delivery', money(o.feeMinor, o.currency)] : null,
      ['For', o.when ? when(o.when) : 'As soon as possible'], o.delivery ? ['Brought to', make('bdi', {}, o.delivery.address ?? '')] : null,
      o.customerName ? ['Customer', make('bdi', {}, o.customerName)] : null, o.customerPhone ? ['Telephone', make('bdi', {}, o.customerPhone)] : null,
      o.note ? ['Note', make('bdi', {}, o.note)] : null, o.reason ? ['Reason', make('bdi', {}, o.reason)] : null, o.eta ? ['Expected', when(o.eta)] : null,
      ['Thread', make('a', { href: `/admin/threads?${new URLSearchParams({ marketId: o.marketId, thread: o.thread })}` }, 'Read the conversation')]),
    o.lines?.length ? section('What was ordered', make('ul', { className: 'rows' }, o.lines.map((l) => make('li', {}, `${l.quantity} × `, make('bdi', {}, l.name), l.options?.length ? ` (${l.options.join(', ')})` : '', ` · ${money(l.totalMinor, o.currency)}`)))) : null,
    section('What happened', make('ol', { className: 'events' }, list(events).map((e) => make('li', {}, when(e.at), ' ', make('b', {}, said(e.type)), ' by ', make('bdi', {}, e.by))))),
    receipt(o.receipt),
  ];
}

/** The evidence of a customer's YES. */
export function receipt(r) {
  if (!r) return null;
  return section('The customer’s YES', facts(['Said', when(r.at)], ['Understood as', r.answer], ['In message', make('code', {}, r.messageId)], ['To the offer', make('code', {}, r.offerHash)], ['Version of the settings', String(r.policyVersion)]));
}
