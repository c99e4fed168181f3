// The drivers of a market: who they are, where they drive, and whether rides are offered to them.

import { call, list, path } from './api.js';
import { help, make } from './dom.js';
import { field, number, phone, text, tick, words } from './fields.js';
import { items, noMarket } from './items.js';

export async function page(ctx) {
  const { market, signal } = ctx;
  if (!market) return noMarket('Drivers');
  const settings = ctx.query.has('driver') ? await call(path('markets', market), { signal }) : null;
  return items({
    word: 'driver', many: 'drivers', at: (id) => path('markets', market, 'drivers', id), nameOf: (d) => d.name,
    read: async () => list((await call(path('markets', market, 'drivers'), { signal })).drivers),
    row: (d) => [
      make('p', {}, make('bdi', {}, d.phone), ' · ', (d.districts ?? []).join(', '), ' ', duty(d)),
      make('p', { className: 'soft' }, [d.vehicle, d.plate, `${d.seats} seats`].filter(Boolean).join(' · ')),
    ],
    blank: { id: '', name: '', phone: '', language: '', districts: [], vehicle: '', plate: '', seats: 4, available: false, enabled: true, version: 0 },
    view: (d, changed) => view(d, changed, settings), gone: 'No rides are offered to this number any more.',
  }, ctx, help('Rides are offered on WhatsApp to the drivers who are on duty in the customer’s district.'));
}

function duty(d) {
  const [state, word] = !d.enabled ? ['off', 'Blocked'] : d.available ? ['resolved', 'On duty'] : ['pending', 'Off duty'];
  return make('span', { className: 'status', 'data-status': state }, word);
}

function view(d, changed, settings) {
  const set = (name) => (v) => { d[name] = v; changed(); };
  return make('div', {}, make('div', { className: 'settings' },
    field('Name', text(d.name, set('name')), { path: 'name' }),
    field('WhatsApp number', phone(d.phone, set('phone')), { path: 'phone', note: 'With country code, such as +905331234567.' }),
    field('Districts', words(d.districts, set('districts')), { path: 'districts', note: `Where the driver takes rides, with commas between${settings.districts?.length ? `: ${settings.districts.map(({ name }) => name).join(', ')}` : ''}.` }),
    field('Seats for passengers', number(d.seats, set('seats'), { min: 1, max: 8 }), { path: 'seats' }),
    field('Car', text(d.vehicle, set('vehicle')), { path: 'vehicle', note: 'The customer is told what to look for.' }),
    field('Number plate', text(d.plate, set('plate')), { path: 'plate' })),
  make('div', { className: 'ticks' },
    tick('May take rides', d.enabled, set('enabled'), { note: 'Off: no ride is offered, whatever the driver says.' }),
    tick('On duty', d.available, set('available'), { note: 'Drivers change this themselves on WhatsApp.' })));
}
