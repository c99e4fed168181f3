// What a market has been: who changed what and when, and the way back.

import { call, list, path } from './api.js';
import { button, confirm, done, empty, heading, help, make, tell, trouble, when } from './dom.js';
import { changes, compare } from './edit.js';

export async function page({ market, signal, refresh }) {
  if (!market) return [heading('History'), empty('There is no market yet', 'Add one on the page Market.')];
  const { versions } = await call(`${path('markets', market, 'versions')}?limit=50`, { signal });
  const all = list(versions);
  const place = make('div', { className: 'answer' });
  const back = async (to) => {
    const now = all[0];
    const sure = await confirm({
      title: `Go back to version ${to.version}?`, text: 'All settings become what they were then. This makes a new version, so nothing is lost and you can come back here.', yes: 'Go back to it',
    });
    if (!sure) return;
    try {
      const saved = await call(path('markets', market), { method: 'PUT', body: { ...to, version: now.version } });
      await refresh();
      const words = `The settings are those of version ${to.version} again, saved as version ${saved.version}.`;
      document.querySelector('main h1')?.after(done(words));
      document.querySelector('main h1')?.focus();
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  };
  return [heading('History'), help('Every change of this market’s settings: who made it, when, and what was different. Any of them can be brought back.'), place,
    versionsOf(all, back, 'the market')];
}

/** The versions of something, latest first, each with what it changed. */
export function versionsOf(all, back, what) {
  if (all.length === 0) return empty('Nothing yet', `Nobody has changed ${what} so far.`);
  return make('ol', { className: 'rows versions' }, all.map((v, i) => {
    const before = all[i + 1];
    const diff = before ? compare(before, v) : [];
    return make('li', { className: 'row' },
      make('h2', {}, `Version ${v.version}`, i === 0 ? ' (now)' : ''),
      make('p', { className: 'soft' }, when(v.updatedAt), v.updatedBy ? [' by ', make('bdi', {}, v.updatedBy)] : ''),
      before ? (diff.length ? changes(diff) : help('Nothing that shows is different.')) : help(v.version > 1 ? 'Earlier versions are further back.' : 'The first one.'),
      i > 0 ? button(`Go back to version ${v.version}…`, () => back(v)) : null);
  }));
}
