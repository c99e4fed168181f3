// Opening hours as people write them.

import { field, text, words } from './fields.js';

export const days = { mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday', sat: 'Saturday', sun: 'Sunday' };

export const spans = (list) => (list ?? []).map(({ from, to }) => `${from}–${to}`).join(', ');

/** Reads "9:00-14:00, 16–23:30"; null when it cannot be read. */
export function readSpans(text) {
  const all = [];
  for (const part of text.split(',').map((s) => s.trim()).filter(Boolean)) {
    const m = /^(\d{1,2})(?:[:.](\d\d))?\s*(?:-|–|to)\s*(\d{1,2})(?:[:.](\d\d))?$/.exec(part);
    if (!m) return null;
    all.push({ from: `${m[1].padStart(2, '0')}:${m[2] ?? '00'}`, to: `${m[3].padStart(2, '0')}:${m[4] ?? '00'}` });
  }
  return all;
}

/** Marks a control whose text cannot be read, and reports whether it can. */
export function mark(node, right) {
  const control = node.querySelector('input');
  if (right) control.removeAttribute('aria-invalid');
  else control.setAttribute('aria-invalid', 'true');
  return right;
}

/** The controls of the week that `of` has by a name: weekdays with their spans. */
export function weekly(of, name, { changed, path = '', none = 'closed' }) {
  return Object.entries(days).map(([day, word]) => {
    const node = field(word, text(spans(of[name]?.[day]), (v) => {
      const read = readSpans(v);
      if (!mark(node, read !== null)) return;
      of[name] = { ...of[name], [day]: read };
      if (read.length === 0) delete of[name][day];
      changed();
    }, { placeholder: none }), { path: path && `${path}.${day}` });
    return node;
  });
}

/** The control of the dates on which a week is not so. */
export const closedDates = (of, changed) => field('Closed on these dates', words(of.closed, (v) => { of.closed = v; changed(); }), { note: 'As 2026-12-25, with commas between.' });

/** A week to begin with. */
export const everyDay = () => Object.fromEntries(Object.keys(days).map((d) => [d, [{ from: '09:00', to: '18:00' }]]));
