// What technicians of a market come for, and who comes when and where.

import { call, list, path } from './api.js';
import { heading, help, make, money, section } from './dom.js';
import { amount, field, number, text, tick, words } from './fields.js';
import { closedDates, everyDay, weekly } from './hours.js';
import { noMarket, one, shelf } from './items.js';

export async function page(ctx) {
  const { market, signal, query } = ctx;
  if (!market) return noMarket('Visits');
  const [settings, visits] = await Promise.all([call(path('markets', market), { signal }), read(market, signal)]);
  const [service, technician] = [services(market, settings), technicians(market, settings, visits)];
  if (query.has('service')) return one(service, visits.services, ctx);
  if (query.has('technician')) return one(technician, visits.technicians, ctx);
  return [
    heading('Visits'), help('What callers can arrange: a technician comes to the address of the customer.'),
    section('Services', shelf(service, visits.services, ctx, 'h3')), section('Technicians', shelf(technician, visits.technicians, ctx, 'h3')),
  ];
}

async function read(market, signal) {
  const answer = await call(path('markets', market, 'visits'), { signal });
  const sorted = (all) => list(all).sort((a, b) => a.name.localeCompare(b.name));
  return { services: sorted(answer.services), technicians: sorted(answer.technicians) };
}

const services = (market, settings) => ({
  word: 'service', many: 'services', at: (id) => path('markets', market, 'services', id), nameOf: (s) => s.name,
  read: async (signal) => (await read(market, signal)).services,
  row: (s) => [make('p', {}, `${s.minutes} minutes · ${money(s.priceMinor, s.currency)}`)],
  blank: { id: '', name: '', minutes: 60, priceMinor: 0, currency: settings.currency, version: 0 },
  view: (s, changed) => make('div', { className: 'settings' },
    field('Name', text(s.name, (v) => { s.name = v; changed(); }), { path: 'name', note: 'As callers are told.' }),
    field('Minutes', number(s.minutes, (v) => { s.minutes = v ?? 0; changed(); }, { min: 15, max: 480 }), { path: 'minutes', note: 'How long a visit takes.' }),
    amount(s, { changed, path: '' }, s.currency)('Price', 'priceMinor', { path: 'priceMinor' })),
  gone: 'Nobody comes for it any more. Appointments that were made stay.',
});

const technicians = (market, settings, { services: all }) => ({
  word: 'technician', many: 'technicians', at: (id) => path('markets', market, 'technicians', id), nameOf: (t) => t.name,
  needs: all.length ? undefined : 'Add a service first, for which they come.',
  read: async (signal) => (await read(market, signal)).technicians,
  row: (t) => [
    make('p', {}, t.services.map((id) => all.find((s) => s.id === id)?.name ?? `${id} (gone)`).join(', ')),
    make('p', { className: 'soft' }, `ZIP codes ${t.areas.map((area) => (area.length < 5 ? `${area}…` : area)).join(', ')}`),
  ],
  blank: { id: '', business: '', name: '', areas: [], services: [], timeZone: settings.timeZone, hours: everyDay(), slotMinutes: 60, version: 0 },
  view: (t, changed) => {
    const set = (name) => (v) => { t[name] = v; changed(); };
    t.hours ??= {};
    return make('div', {}, make('div', { className: 'settings' },
      field('Name', text(t.name, set('name')), { path: 'name', note: 'Callers are told who comes.' }),
      field('Business', text(t.business, (v) => set('business')(v.trim())), { path: 'business', note: 'That sends them: its id. Appointments are among its bookings.' }),
      field('ZIP codes', words(t.areas, set('areas')), { path: 'areas', note: 'Where they come to, with commas between. 941 is all that begin so.' }),
      field('Visits begin every (minutes)', number(t.slotMinutes, (v) => set('slotMinutes')(v ?? 0), { min: 5, max: 1440 }), { path: 'slotMinutes' }),
      field('Time zone', text(t.timeZone, (v) => set('timeZone')(v.trim())), { path: 'timeZone', note: 'Of their hours, such as America/Los_Angeles.' })),
    make('fieldset', { 'data-path': 'services' }, make('legend', {}, 'Comes for'), make('div', { className: 'ticks' }, all.map((s) => tick(s.name, t.services.includes(s.id), (on) => {
      t.services = all.map(({ id }) => id).filter((id) => (id === s.id ? on : t.services.includes(id)));
      changed();
    })))),
    section('Hours', help('Such as 08:00–12:00, 13:00–17:00.'), make('div', { className: 'settings', 'data-path': 'hours' }, weekly(t, 'hours', { changed, path: 'hours', none: 'does not come' }), closedDates(t, changed))));
  },
  gone: 'Nobody is offered their times any more. Appointments that were made stay: cancel or move them first where nobody would come.',
});
