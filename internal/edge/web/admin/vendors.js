// The vendors of a market, whom clients' requests are asked of: what they have, where they are, and whether they want to be
// asked.

import { call, everything, path, vocabulary } from './api.js';
import { bringIn } from './bring.js';
import { help, make, section } from './dom.js';
import { field, number, optional, phone, text, tick, words } from './fields.js';
import { everyDay, weekly } from './hours.js';
import { items, noMarket } from './items.js';
import { position } from './position.js';

export async function page(ctx) {
  const { market, refresh, signal } = ctx;
  if (!market) return noMarket('Vendors');
  const at = path('markets', market, 'vendors');
  const [settings, known] = ctx.query.has('vendor') ? await Promise.all([call(path('markets', market), { signal }), vocabulary(signal)]) : [];
  return items({
    word: 'vendor', many: 'vendors', at: (id) => path('markets', market, 'vendors', id), nameOf: (v) => v.name,
    read: (s) => everything(at, 'vendors', s),
    find: (v) => [v.name, v.category, v.address, v.phone, ...(v.tags ?? [])].join(' '), note: 'Name, kind, word, number or address.',
    row: (v) => [
      make('p', {}, v.category, ' ', asked(v)),
      make('p', { className: 'soft', dir: 'auto' }, [(v.tags ?? []).join(', '), v.address].filter(Boolean).join(' · ')),
    ],
    blank: { id: '', name: '', category: '', phone: '', enabled: true, version: 0 },
    view: (v, changed) => view(v, { changed, settings, known }), gone: 'Nobody asks them any more. What they were asked and answered stays.',
  }, ctx, help('Who is asked on WhatsApp for what no listing offers. Only vendors who wanted to be asked are written to.'), bringIn({ at, many: 'Vendors', refresh }));
}

function asked(v) {
  const [state, word] = !v.enabled ? ['off', 'Off'] : v.optIn ? ['resolved', 'Is asked'] : ['pending', 'Did not opt in'];
  return make('span', { className: 'status', 'data-status': state }, word);
}

const day = (at) => String(at ?? '').slice(0, 10);
const today = () => new Date().toLocaleDateString('en-CA'); // as 2026-12-25, by the clock of who looks

function view(v, { changed, settings, known }) {
  const set = (name) => (value) => { v[name] = value; if (value === '' || value === null || value?.length === 0) delete v[name]; changed(); };
  const always = (name) => (value) => { v[name] = value; changed(); };
  return make('div', {}, make('div', { className: 'settings' },
    field('Name', text(v.name, always('name')), { path: 'name' }),
    field('Kind', text(v.category, always('category')), { path: 'category', note: 'What a request is compared with, such as generator rental.' }),
    field('Words', words(v.tags, set('tags')), { path: 'tags', note: 'By which they are found, too, with commas between.' }),
    field('WhatsApp number', phone(v.phone, always('phone')), { path: 'phone', note: 'With country code, such as +905331234567. Clients and models do not see it.' }),
    field('Languages', words(v.languages, set('languages')), { path: 'languages', note: `They are written to in the first; none is the market’s. Of ${known.languages.map(({ tag }) => tag).join(', ')}.` }),
    field('Rating', number(v.rating, set('rating'), { min: 0, max: 5 }), { path: 'rating', note: '0 to 5.' }),
    field('Address', text(v.address, set('address')), { path: 'address', wide: true })),
  position(v, changed),
  section('Whether they are asked', make('div', { className: 'ticks' },
    tick('May be asked', v.enabled, always('enabled'), { note: 'Off: no request finds them.' })),
  optional('They want to be asked on WhatsApp', Boolean(v.optIn), {
    path: 'optIn', note: 'Without this record nobody writes to them.',
    set: (on) => { v.optIn = on ? { at: `${today()}T00:00:00Z`, how: '' } : undefined; if (!on) delete v.optIn; changed(); },
    controls: () => [
      field('Since', (base) => make('input', { type: 'date', value: day(v.optIn.at), oninput: (e) => { v.optIn.at = `${e.target.value}T00:00:00Z`; changed(); }, ...base }), { path: 'optIn.at' }),
      field('How they said so', text(v.optIn.how, (how) => { v.optIn.how = how; changed(); }), { path: 'optIn.how', note: 'Such as: form of 3 May.' }),
    ],
  }),
  optional('Only at certain hours', Boolean(v.hours), {
    path: 'hours', note: 'Outside them a question waits.',
    set: (on) => { v.hours = on ? { timeZone: settings.timeZone, days: everyDay() } : undefined; if (!on) delete v.hours; changed(); },
    controls: () => [
      field('Time zone', text(v.hours.timeZone, (zone) => { v.hours.timeZone = zone.trim(); changed(); }), { path: 'hours.timeZone' }),
      ...weekly(v.hours, 'days', { changed, path: 'hours.days' }),
    ],
  })));
}
