// What orders and bookings have in common: they are listed by business.

import { everything, path } from './api.js';
import { empty, heading, help, make } from './dom.js';
import { field, select } from './fields.js';

/** The page of what a business has: `show(business)` gives its rows. */
export async function byBusiness(ctx, { title, about, show }) {
  const { market, query, signal, go, address } = ctx;
  if (!market) return [heading(title), empty('There is no market yet', 'Add one on the page Market.')];
  const listings = await everything(path('markets', market, 'listings'), 'listings', signal);
  const names = new Map();
  for (const l of listings) names.set(l.businessId, [...(names.get(l.businessId) ?? []), l.names?.en ?? Object.values(l.names ?? {})[0] ?? l.id]);
  const all = [...names].map(([id, has]) => [id, `${has.slice(0, 2).join(', ')}${has.length > 2 ? ' …' : ''} (${id})`]).sort((a, b) => a[1].localeCompare(b[1]));
  if (all.length === 0) return [heading(title), empty('No businesses yet', 'They come with the listings.')];
  const business = names.has(query.get('business')) ? query.get('business') : '';
  return [
    heading(title), help(about),
    make('div', { className: 'settings' }, field('Business', select(business, [['', 'Choose one'], ...all], (v) => go(address(v ? { business: v } : {}))))),
    business ? await show(business) : null,
  ];
}
