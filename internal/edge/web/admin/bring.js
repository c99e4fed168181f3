// Brings in many things at once, from a file with one on each row.

import { Failure, call } from './api.js';
import { confirm, done, make, tell, trouble } from './dom.js';

/**
 * The control that chooses a file and brings it in at `at`. `many` is what it holds; `tables` says that a table for a
 * spreadsheet will do, too; `said(answer)` words what came of it. `place` shows what is wrong.
 */
export function bringing({ at, many, place, refresh, tables = false, said }) {
  const file = make('input', {
    type: 'file', id: 'file', accept: tables ? '.csv,.jsonl,.ndjson,text/csv' : '.jsonl,.ndjson', 'aria-describedby': 'file-note', onchange: bring,
  });

  async function bring() {
    const chosen = file.files[0];
    if (!chosen) return;
    file.value = '';
    const lines = !tables || /\.(jsonl|ndjson)$/i.test(chosen.name);
    const sure = await confirm({
      title: `Bring in ${chosen.name}?`, text: `Every row is checked first. If one is wrong, nothing is stored and you see which. ${many} that the file names are replaced; the others stay.`, yes: 'Bring in',
    });
    if (!sure) return;
    place.replaceChildren(make('p', { className: 'loading', role: 'status' }, 'Bringing in…'));
    try {
      const answer = await call(`${at}/import`, { method: 'POST', body: await chosen.text(), type: lines ? 'application/x-ndjson' : 'text/csv' });
      await refresh();
      const words = said(answer);
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      place.replaceChildren(trouble(error), wrong(error.errors));
      place.scrollIntoView({ block: 'nearest' });
    }
  }

  return [
    make('p', { className: 'field' }, make('label', { htmlFor: 'file' }, 'Bring in a file'), file),
    make('p', { className: 'help', id: 'file-note' }, `${tables ? 'CSV or JSON Lines' : 'JSON Lines: one JSON object on each row'}, at most 4 MB.`),
  ];
}

/** The same as something to open. */
export function bringIn({ many, ...more }) {
  const place = make('div', { className: 'answer' });
  const said = ({ rows }) => (rows === 1 ? '1 row brought in.' : `${rows} rows brought in.`);
  return make('details', { className: 'row' }, make('summary', {}, `Bring in many ${many.toLowerCase()}`),
    make('div', { className: 'within' }, bringing({ many, place, said, ...more }), place));
}

function wrong(errors) {
  if (errors.length === 0) return '';
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Wrong rows' }, make('table', {}, make('caption', {}, 'What is wrong'),
    make('thead', {}, make('tr', {}, ['Row', 'Column', 'What is wrong'].map((h) => make('th', { scope: 'col' }, h)))),
    make('tbody', {}, errors.map(({ row: n, field: name, detail }) => make('tr', {}, make('td', {}, String(n)), make('td', {}, name ?? ''), make('td', { dir: 'auto' }, detail))))));
}
