// The drivers of a market: who they are, where they drive, and whether rides are offered to them.

import { call, list, path } from './api.js';
import { button, confirm, done, empty, heading, help, make, tell, trouble } from './dom.js';
import { edit, shortName } from './edit.js';
import { field, number, text, tick, words } from './fields.js';

export async function page(ctx) {
  const { market, signal, query, address } = ctx;
  if (!market) return [heading('Drivers'), empty('There is no market yet', 'Add one on the page Market.')];
  const drivers = list((await call(path('markets', market, 'drivers'), { signal })).drivers);
  if (query.has('driver')) return one(ctx, drivers);
  return [
    heading('Drivers'), help('Rides are offered on WhatsApp to the drivers who are on duty in the customer’s district.'),
    make('div', { className: 'act' }, make('a', { className: 'button', href: address({ driver: '' }) }, 'Add a driver')),
    drivers.length ? make('ul', { className: 'rows' }, drivers.map((d) => make('li', { className: 'row' },
      make('h2', {}, make('a', { href: address({ driver: d.id }), dir: 'auto' }, d.name)),
      make('p', {}, make('bdi', {}, d.phone), ' · ', (d.districts ?? []).join(', '), ' ', duty(d)),
      make('p', { className: 'soft' }, [d.vehicle, d.plate, `${d.seats} seats`].filter(Boolean).join(' · '))))) : empty('No drivers yet', 'Add the first one.'),
  ];
}

function duty(d) {
  const [state, word] = !d.enabled ? ['off', 'Blocked'] : d.available ? ['resolved', 'On duty'] : ['pending', 'Off duty'];
  return make('span', { className: 'status', 'data-status': state }, word);
}

async function one({ market, query, signal, address, go }, drivers) {
  const id = query.get('driver');
  const settings = await call(path('markets', market), { signal });
  const base = drivers.find((d) => d.id === id) ?? { id: '', name: '', phone: '', language: '', districts: [], vehicle: '', plate: '', seats: 4, available: false, enabled: true, version: 0 };
  const fresh = !base.id;
  if (id && fresh) return [heading('There is no such driver'), make('p', {}, make('a', { href: address() }, '← All drivers'))];
  const title = heading(fresh ? 'New driver' : base.name);
  const editor = edit({
    base, what: 'driver',
    load: async () => list((await call(path('markets', market, 'drivers'), { signal })).drivers).find((d) => d.id === base.id) ?? base,
    save: (d) => call(path('markets', market, 'drivers', d.id || shortName(d.name, drivers, 'driver')), { method: 'PUT', body: d }),
    saved: (d) => {
      title.textContent = d.name;
      if (fresh) setTimeout(() => go(address({ driver: d.id }), { replace: true, keep: false }).then(() => document.querySelector('main h1')?.after(done(`${d.name} is added.`))));
    },
    view: (d, changed) => {
      const set = (name) => (v) => { d[name] = v; changed(); };
      return make('div', {}, make('div', { className: 'settings' },
        field('Name', text(d.name, set('name')), { path: 'name' }),
        field('WhatsApp number', text(d.phone, (v) => set('phone')(v.replace(/[\s()-]/g, '')), { type: 'tel' }), { path: 'phone', note: 'With country code, such as +905331234567.' }),
        field('Districts', words(d.districts, set('districts')), { path: 'districts', note: `Where the driver takes rides, with commas between${settings.districts?.length ? `: ${settings.districts.map(({ name }) => name).join(', ')}` : ''}.` }),
        field('Seats for passengers', number(d.seats, set('seats'), { min: 1, max: 8 }), { path: 'seats' }),
        field('Car', text(d.vehicle, set('vehicle')), { path: 'vehicle', note: 'The customer is told what to look for.' }),
        field('Number plate', text(d.plate, set('plate')), { path: 'plate' })),
      make('div', { className: 'ticks' },
        tick('May take rides', d.enabled, set('enabled'), { note: 'Off: no ride is offered, whatever the driver says.' }),
        tick('On duty', d.available, set('available'), { note: 'Drivers change this themselves on WhatsApp.' })));
    },
  });
  const place = make('div');
  async function remove() {
    if (!await confirm({ title: `Take ${base.name} away?`, text: 'No rides are offered to this number any more.', yes: 'Take away' })) return;
    try {
      await call(path('markets', market, 'drivers', base.id), { method: 'DELETE' });
      await go(address(), { keep: false });
      document.querySelector('main h1')?.after(done(`${base.name} is taken away.`));
      tell(`${base.name} is taken away.`);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return [title, make('p', { className: 'back' }, make('a', { href: address() }, '← All drivers')), ...editor.nodes,
    fresh ? null : make('div', { className: 'danger' }, place, button('Take this driver away…', remove))];
}
