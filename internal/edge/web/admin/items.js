// What a market has many of, such as drivers or places: a list to look through, and a page for each to make it, change it
// and take it away.
//
// A kind says what is its own: `word` is what one is called, `many` what all are; `at(id)` is where the API has one;
// `read(signal)` reads all; `nameOf(it)`; `row(it)` what stands beneath its name; `blank` a new one; `view(it, changed)` its
// controls; `gone` what it means to take it away. It may have `find`, the text by which one is looked for, with `note`, what
// to look by; `stored(it)`, which makes of one what is saved; and `needs`, why none can be added yet.

import { call } from './api.js';
import { button, confirm, done, empty, heading, make, tell, trouble } from './dom.js';
import { edit, shortName } from './edit.js';
import { field } from './fields.js';

const most = 200; // that are shown at once

const capital = (words) => words[0].toUpperCase() + words.slice(1);

/** The list of all of a kind, with the way to add one. */
export function shelf(kind, all, { address }, level = 'h2') {
  const { word, many, find, note, nameOf, needs } = kind;
  const rows = make('ul', { className: 'rows' });
  const count = make('p', { className: 'help', role: 'status' });
  const show = (wanted) => {
    const parts = wanted.toLocaleLowerCase().split(/\s+/);
    const found = find ? all.filter((it) => parts.every((part) => find(it).toLocaleLowerCase().includes(part))) : all;
    rows.replaceChildren(...found.slice(0, most).map((it) => make('li', { className: 'row' },
      make(level, {}, make('a', { href: address({ [word]: it.id }), dir: 'auto' }, nameOf(it))), ...kind.row(it))));
    count.textContent = found.length === all.length ? (all.length === 1 ? `1 ${word}` : `${all.length} ${many}`) : `${found.length} of ${all.length} ${many}`;
  };
  show('');
  return [
    needs ? null : make('div', { className: 'act' }, make('a', { className: 'button', href: address({ [word]: '' }) }, `Add a ${word}`)),
    find && all.length ? field('Search', (base) => make('input', { type: 'search', oninput: (e) => show(e.target.value), ...base }), { note }) : null,
    all.length ? (find ? count : null) : empty(`No ${many} yet`, needs ?? 'Add the first one.'), rows,
  ];
}

/** The page of one of a kind, or of a new one. */
export function one(kind, all, { query, address, go, signal }) {
  const { word, many, nameOf, at } = kind;
  const id = query.get(word);
  const base = all.find((it) => it.id === id) ?? kind.blank;
  const fresh = !base.id;
  const back = make('p', { className: 'back' }, make('a', { href: address() }, `← All ${many}`));
  if (id && fresh) return [heading(`There is no such ${word}`), back];
  const title = heading(fresh ? `New ${word}` : nameOf(base));
  const say = (words, ...more) => {
    document.querySelector('main h1')?.after(done(words, ...more));
    tell(words);
  };
  const editor = edit({
    base, what: word,
    load: async () => (await kind.read(signal)).find((it) => it.id === base.id) ?? base,
    save: (it) => {
      const body = kind.stored ? kind.stored(it) : it;
      return call(at(it.id || shortName(nameOf(it), all, word)), { method: 'PUT', body });
    },
    saved: (it) => {
      title.textContent = nameOf(it);
      if (fresh) setTimeout(() => go(address({ [word]: it.id }), { replace: true, keep: false }).then(() => say(`${nameOf(it)} is added.`)));
    },
    view: kind.view,
  });
  const place = make('div');
  async function remove() {
    if (!await confirm({ title: `Take ${nameOf(base)} away?`, text: kind.gone, yes: 'Take away' })) return;
    try {
      await call(at(base.id), { method: 'DELETE' });
      await go(address(), { keep: false });
      say(`${nameOf(base)} is taken away.`, button('Undo', async () => {
        const { version, ...rest } = base;
        await call(at(base.id), { method: 'PUT', body: rest });
        await go(address({ [word]: base.id }));
      }));
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return [title, back, ...editor.nodes, fresh ? null : make('div', { className: 'danger' }, place, button(`Take this ${word} away…`, remove))];
}

/** The pages of a kind: the list under its heading and introduction, or one of it. */
export async function items(kind, ctx, intro, ...more) {
  const all = (await kind.read(ctx.signal)).sort((a, b) => kind.nameOf(a).localeCompare(kind.nameOf(b)));
  if (ctx.query.has(kind.word)) return one(kind, all, ctx);
  return [heading(capital(kind.many)), intro, ...more, ...shelf(kind, all, ctx)];
}

/** What stands on a page of a market where there is none. */
export const noMarket = (title) => [heading(title), empty('There is no market yet', 'Add one on the page Market.')];
