// The catalogue: its listings, one of them, and bringing in and taking out the whole of it.

import { Failure, call, everything, path, vocabulary } from './api.js';
import { button, confirm, done, empty, heading, help, make, tell, trouble } from './dom.js';
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
  const file = make('input', { type: 'file', id: 'file', accept: '.csv,.jsonl,.ndjson,text/csv', 'aria-describedby': 'file-note', onchange: bring });

  async function bring() {
    const chosen = file.files[0];
    if (!chosen) return;
    file.value = '';
    const lines = /\.(jsonl|ndjson)$/i.test(chosen.name);
    const sure = await confirm({
      title: `Bring in ${chosen.name}?`, text: 'Every row is checked first. If one is wrong, nothing is stored and you see which. Listings that the file names are replaced; the others stay.', yes: 'Bring in',
    });
    if (!sure) return;
    place.replaceChildren(make('p', { className: 'loading', role: 'status' }, 'Bringing in…'));
    try {
      const { rows, stored, unchanged } = await call(`${path('markets', market, 'listings')}/import`, { method: 'POST', body: await chosen.text(), type: lines ? 'application/x-ndjson' : 'text/csv' });
      await refresh();
      const words = `${rows} rows brought in: ${stored} new or changed, ${unchanged} as they were.`;
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      place.replaceChildren(trouble(error), wrong(error.errors));
      place.scrollIntoView({ block: 'nearest' });
    }
  }

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
    make('p', { className: 'field' }, make('label', { htmlFor: 'file' }, 'Bring in a file'), file),
    make('p', { className: 'help', id: 'file-note' }, 'CSV or JSON Lines, at most 4 MB.'), place));
}

function wrong(errors) {
  if (errors.length === 0) return '';
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Wrong rows' }, make('table', {}, make('caption', {}, 'What is wrong'),
    make('thead', {}, make('tr', {}, ['Row', 'Column', 'What is wrong'].map((h) => make('th', { scope: 'col' }, h)))),
    make('tbody', {}, errors.map(({ row: n, field: name, detail }) => make('tr', {}, make('td', {}, String(n)), make('td', {}, name ?? ''), make('td', { dir: 'auto' }, detail))))));
}
