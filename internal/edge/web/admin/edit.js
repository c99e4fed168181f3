// Edits one thing that has versions: what has been changed stands in a bar with the button that saves
// it, a save over somebody else's change shows the difference instead, and what was saved can be undone.

import { Failure } from './api.js';
import { apply, clash, differences } from './diff.js';
import { button, done, make, tell, trouble, when } from './dom.js';
import { watch } from './guard.js';
import { label, value } from './words.js';

/** A list of differences in words. */
export function changes(all) {
  return make('ul', { className: 'changes' }, all.map(({ path, from, to }) => make('li', {},
    make('b', {}, label(path)), ': ', make('del', { dir: 'auto' }, value(from, path)), ' → ', make('ins', { dir: 'auto' }, value(to, path)))));
}

/** What stays out of a comparison: who saved what when. */
const stamps = new Set(['version', 'updatedAt', 'updatedBy']);

export const compare = (a, b) => differences(a, b).filter(({ path }) => !stamps.has(path[0]) && path.at(-1) !== 'batch');

/**
 * Edits `base`. `view(draft, changed)` makes the controls, which change the draft and call changed;
 * `load()` reads what is stored now; `save(it)` stores it and resolves to it as stored; `saved` may
 * take it over.
 */
export function edit({ base, view, load, save, saved = () => {}, what }) {
  let draft = structuredClone(base);
  let stored = base;
  const body = make('div', { className: 'editor' });
  const place = make('div', { className: 'answer' });
  const count = make('p', { className: 'count', role: 'status' });
  const list = make('div');
  const bar = make('div', { className: 'bar', hidden: true, role: 'region', 'aria-label': 'Changes that are not saved' },
    make('div', { className: 'sum' }, count, make('details', {}, make('summary', {}, 'Show them'), list)),
    make('div', { className: 'act' }, button('Save', () => store(draft), { main: true }), button('Discard', discard)));

  const dirty = () => compare(stored, draft).length > 0;
  watch(() => body.isConnected && dirty());

  function changed() {
    const all = compare(stored, draft);
    bar.hidden = all.length === 0;
    count.textContent = all.length === 1 ? '1 change is not saved' : `${all.length} changes are not saved`;
    list.replaceChildren(changes(all));
  }

  function show() {
    body.replaceChildren(...[view(draft, changed, { show, store })].flat().filter(Boolean));
    changed();
  }

  function discard() {
    draft = structuredClone(stored);
    place.replaceChildren();
    show();
    tell('The changes are discarded.');
  }

  /** Stores something. What is changed and is not in it stays as it is, unsaved; so does what is changed meanwhile. */
  async function store(next, words = 'Saved.') {
    const before = stored;
    const taken = next === draft ? structuredClone(draft) : stored;
    clear();
    place.replaceChildren();
    try {
      stored = await save(next);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === 'conflict' && (await conflict(next))) return false;
      fault(error);
      return false;
    }
    draft = apply(stored, compare(taken, draft));
    saved(stored);
    show();
    place.replaceChildren(done(words, button('Undo', () => store({ ...before, version: stored.version }, 'Undone: it is as it was before.'))));
    place.scrollIntoView({ block: 'nearest' });
    tell(words);
    return true;
  }

  function clear() {
    for (const node of body.querySelectorAll('[aria-invalid]')) node.removeAttribute('aria-invalid');
    for (const node of body.querySelectorAll('.wrong')) node.remove();
  }

  /** Shows what the server found wrong, at the control that it is about where there is one. */
  function fault(error) {
    place.replaceChildren(trouble({ ...error, detail: error.field ? `${label(error.field.split('.'))}: ${error.detail}` : error.detail }));
    const at = nodeOf(error.field);
    const control = at?.querySelector('input, select, textarea');
    if (!control) {
      place.scrollIntoView({ block: 'nearest' });
      return;
    }
    control.setAttribute('aria-invalid', 'true');
    at.append(make('p', { className: 'wrong' }, error.detail));
    control.closest('details')?.setAttribute('open', '');
    control.focus();
  }

  /** The node of a field; else the first of a part of it, else the closest around it. */
  function nodeOf(name) {
    const all = [...body.querySelectorAll('[data-path]')];
    return all.find((node) => node.dataset.path === name) ?? all.find((node) => node.dataset.path.startsWith(`${name}.`))
      ?? all.findLast((node) => name.startsWith(`${node.dataset.path}.`));
  }

  /** Shows what somebody else has saved meanwhile, and lets one choose. Resolves to whether somebody has. */
  async function conflict(mine) {
    let theirs;
    try { theirs = await load(); } catch { return false; }
    if (theirs.version === stored.version) return false;
    const [ours, others] = [compare(stored, mine), compare(stored, theirs)];
    const both = ours.filter((a) => others.some((b) => clash(a, b)));
    const take = (next, words) => {
      stored = theirs;
      draft = next;
      saved(stored);
      place.replaceChildren(done(words));
      show();
    };
    place.replaceChildren(make('div', { className: 'conflict', role: 'alert' },
      make('h2', {}, `Somebody else has changed this ${what} meanwhile`),
      make('p', {}, 'Saved by ', make('bdi', {}, theirs.updatedBy || 'somebody'), theirs.updatedAt ? [', ', when(theirs.updatedAt)] : '', '. What they changed:'),
      changes(others),
      make('p', {}, 'What you changed:'), changes(ours),
      both.length ? make('p', {}, make('b', {}, `You both changed ${both.map(({ path }) => label(path)).join(', ')}. `), 'Keeping yours replaces theirs there.') : null,
      make('div', { className: 'act' },
        button('Keep mine on top of theirs', () => take(apply(theirs, ours), 'Your changes stand on top of theirs now. Look them over, then save.'), { main: true }),
        button('Take theirs, drop mine', () => take(structuredClone(theirs), 'This is what is stored now. Your changes are dropped.')))));
    place.scrollIntoView({ block: 'start' });
    return true;
  }

  show();
  return { nodes: [place, body, bar], store, stored: () => stored };
}

/** An id for something new, made of its name, that nothing of `all` has. */
export function shortName(name, all, otherwise) {
  const plain = name.replaceAll('ı', 'i').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const base = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 30).replace(/^-+|-+$/g, '') || otherwise;
  let id = base;
  for (let n = 2; all.some((one) => one.id === id); n += 1) id = `${base}-${n}`;
  return id;
}
