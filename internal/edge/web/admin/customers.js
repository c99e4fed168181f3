// The customers of a market whom calls are about: by what they are known, and where technicians come to.

import { everything, path, vocabulary } from './api.js';
import { bringIn } from './bring.js';
import { help, make } from './dom.js';
import { field, phone, select, text } from './fields.js';
import { items, noMarket } from './items.js';

export async function page(ctx) {
  const { market, refresh, signal } = ctx;
  if (!market) return noMarket('Customers');
  const known = ctx.query.has('customer') ? await vocabulary(signal) : null;
  const at = path('markets', market, 'customers');
  return items({
    word: 'customer', many: 'customers', at: (id) => path('markets', market, 'customers', id), nameOf: (c) => c.name,
    read: (s) => everything(at, 'customers', signal),
    find: (c) => [c.name, c.zip, c.address, ...c.phones].join(' '), note: 'Name, number, ZIP code or address.',
    row: (c) => [make('p', {}, make('bdi', {}, c.phones.join(', ')), ` · ${c.zip}`), make('p', { className: 'soft', dir: 'auto' }, c.address)],
    blank: { id: '', name: '', phones: [''], zip: '', address: '', version: 0 },
    view: (c, changed) => view(c, changed, known), gone: 'Nobody can prove to be this customer any more. Appointments that were made stay.',
  }, ctx, help('Who calls proves who they are by the number that they call from and their ZIP code.'), bringIn({ at, many: 'Customers', refresh }));
}

function view(c, changed, known) {
  const set = (name) => (v) => { c[name] = v; if (v === '' && name === 'language') delete c[name]; changed(); };
  return make('div', { className: 'settings' },
    field('Name', text(c.name, set('name')), { path: 'name' }),
    field('Numbers that they call from', phone(c.phones.join(', '), (v) => set('phones')(v.split(',').filter(Boolean))), { path: 'phones', note: 'With country code, such as +14155550100; several with commas between.' }),
    field('ZIP code', text(c.zip, (v) => set('zip')(v.trim()), { inputMode: 'numeric', maxLength: 5, dir: 'ltr' }), { path: 'zip', note: 'Five digits. It is what a caller has to know.' }),
    field('Address', text(c.address, set('address')), { path: 'address', note: 'Where technicians come to.', wide: true }),
    field('Language', select(c.language, [['', 'Not known'], ...known.languages.map(({ tag, name }) => [tag, name])], set('language')), { path: 'language' }));
}
