// The catalogue: its listings, one of them, and bringing in and taking out the whole of it.

import { call, everything, path, vocabulary } from './api.js';
import { bringing } from './bring.js';
import { button, empty, heading, help, make, tell, trouble } from './dom.js';
import { field } from './fields.js';
import { one } from './listing.js';

export async function page(ctx) {
  const { query, market, signal } = ctx;
  if (!market) return [heading('Listings'), empty('There is no market yet', 'Add one on the page Market.')];
  if (query.has('listing')) return one(ctx, await vocabulary(signal));
  const all = (await everything(path('markets', market, 'listings'), 'listings', signal)).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const rows = make('ul', { className: 'rows' });
  const count = make('p', { className: 'help', role: 'status' });
  const show = (words) => {
    const found = all.filter((l) => fits(l, words));
    rows.replaceChildren(...found.slice(0, 200).map((l) => row(l, ctx)));
    count.textContent = found.length === all.length ? `${all.length} listings` : `${found.length} of ${all.length} listings`;
  };
  show('');
  return [
    heading('Listings'), help('What businesses offer: what customers can find, book and order here.'),
    make('div', { className: 'act' }, make('a', { className: 'button', href: ctx.address({ listing: '' }) }, 'Add a listing')),
    exchange(ctx),
    all.length ? field('Search', (base) => make('input', { type: 'search', oninput: (e) => show(e.target.value), ...base }), { note: 'Name, business, place or category.' }) : null,
    all.length ? count : empty('No listings yet', 'Add one, or bring in a whole catalogue from a file.'), rows,
  ];
}

const nameOf = (l) => String(l.names?.en ?? Object.values(l.names ?? {})[0] ?? l.id);

function fits(l, words) {
  const has = [...Object.values(l.names ?? {}), l.id, l.businessId, l.place, l.category, l.subCategory, l.domain, ...(l.tags ?? [])].join(' ').toLocaleLowerCase();
  return words.toLocaleLowerCase().split(/\s+/).every((word) => has.includes(word));
}

function row(l, { address }) {
  return make('li', { className: 'row' },
    make('h2', {}, make('a', { href: address({ listing: l.id }), dir: 'auto' }, nameOf(l))),
    make('p', {}, [l.category, l.subCategory, l.place].filter(Boolean).join(' · '), ' ', l.merve?.enabled ? null : make('span', { className: 'status', 'data-status': 'off' }, 'Off')),
    make('p', { className: 'soft' }, 'Business ', make('bdi', {}, l.businessId), ` · ${(l.merve?.actions ?? []).filter((a) => a.enabled).length} actions`));
}

/** Brings a catalogue in from a file, and gives it out as one. */
function exchange({ market, signal, refresh }) {
  const place = make('div', { className: 'answer' });
  async function give(format) {
    try {
      const body = await call(`${path('markets', market, 'listings')}/export?format=${format}`, { text: true, signal });
      const link = make('a', { href: URL.createObjectURL(new Blob([body], { type: 'application/octet-stream' })), download: `${market}.${format}` });
      link.click();
      URL.revokeObjectURL(link.href);
      tell('The file is saved.');
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }

  return make('details', { className: 'row' }, make('summary', {}, 'Bring in or take out the whole catalogue'), make('div', { className: 'within' },
    help('As a table for a spreadsheet (CSV), or as JSON Lines. What you take out can be changed and brought in again.'),
    make('div', { className: 'act' }, button('Take out as CSV', () => give('csv')), button('Take out as JSON Lines', () => give('jsonl'))),
    bringing({
      at: path('markets', market, 'listings'), many: 'Listings', place, refresh, tables: true,
      said: ({ rows, stored, unchanged }) => `${rows} rows brought in: ${stored} new or changed, ${unchanged} as they were.`,
    }), place));
}
