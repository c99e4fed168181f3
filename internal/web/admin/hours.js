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

/** The controls of a week, and of the dates on which it is not so. `week` maps weekdays to spans and is changed. */
export function weekly(week, closed, { changed, setClosed, path = '', none = 'closed' }) {
  const each = Object.entries(days).map(([day, word]) => {
    const node = field(word, text(spans(week[day]), (v) => {
      const read = readSpans(v);
      if (!mark(node, read !== null)) return;
      week[day] = read;
      if (read.length === 0) delete week[day];
      changed();
    }, { placeholder: none }), { path: path && `${path}.${day}` });
    return node;
  });
  return [...each, field('Closed on these dates', words(closed, (v) => { setClosed(v); changed(); }), { note: 'As 2026-12-25, with commas between.' })];
}
