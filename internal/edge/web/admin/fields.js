// The controls of forms: each with its name, what it means, and what it is when nothing is set.

import { decimals } from './currencies.js';
import { button, make } from './dom.js';

let count = 0;

/**
 * A labelled control. `control` is a function of the properties it must have; `note` stands beneath,
 * `path` is what the server calls the field when it finds it wrong.
 */
export function field(label, control, { note = '', path = '', usual = '', reset = null, wide = false } = {}) {
  count += 1;
  const id = `field-${count}`;
  const described = note || usual ? `${id}-note` : undefined;
  return make('div', { className: wide ? 'setting wide' : 'setting', 'data-path': path || undefined },
    make('label', { htmlFor: id }, label),
    control({ id, ...(described && { 'aria-describedby': described }) }),
    described ? make('p', { className: 'help', id: described }, note, note && usual ? ' ' : '', usual ? make('span', { className: 'usual' }, `Default: ${usual}.`) : '') : null,
    reset ? button('Use the default', reset, { 'aria-label': `Use the default for ${label}` }) : null);
}

export const text = (value, set, more = {}) => (base) => make('input', { type: 'text', value: value ?? '', autocomplete: 'off', oninput: (e) => set(e.target.value), dir: 'auto', ...more, ...base });

/** A telephone number, without what people write between its digits. */
export const phone = (value, set) => text(value, (v) => set(v.replace(/[\s()-]/g, '')), { type: 'tel' });

export const area = (value, set, more = {}) => (base) => make('textarea', { value: value ?? '', rows: 3, oninput: (e) => set(e.target.value), dir: 'auto', ...more, ...base });

/** A number, shown as a multiple of scale. What is no number is set as NaN, and refused at saving. */
export const number = (value, set, { scale = 1, ...more } = {}) => (base) => make('input', {
  type: 'number', step: 'any', inputMode: 'decimal', value: value === undefined || value === null ? '' : String(value / scale), className: 'number',
  oninput: (e) => set(e.target.value === '' ? null : Math.round(Number(e.target.value) * scale * 1e6) / 1e6), ...more, ...base,
});

/** The control of a number that `of` has by a name, and that is 0 where it is not given. */
export const numeric = (of, { changed, path }) => (word, name, more = {}, scale = 1) => (
  field(word, number(of[name] ?? 0, (v) => { of[name] = v ?? 0; changed(); }, { min: 0, scale }), { path: `${path}.${name}`, ...more }));

/** The control of an amount in minor units, shown and typed as one writes it in a currency. */
export const amount = (of, ctx, currency) => (word, name, more = {}) => numeric(of, ctx)(`${word} (${currency})`, name, more, 10 ** decimals(currency));

export const select = (value, options, set) => (base) => make('select', { onchange: (e) => set(e.target.value), ...base },
  options.map(([key, words]) => make('option', { value: key, selected: key === (value ?? '') }, words)));

/** Words with commas between. */
export const words = (value, set, more = {}) => text((value ?? []).join(', '), (s) => set(s.split(',').map((w) => w.trim()).filter(Boolean)), more);

/** A box to tick, with its words behind it. */
export function tick(label, value, set, { note = '', disabled = false, path = '', name = label } = {}) {
  count += 1;
  const id = `field-${count}`;
  return make('div', { className: 'tick', 'data-path': path || undefined },
    make('input', { type: 'checkbox', id, checked: Boolean(value), disabled, onchange: (e) => set(e.target.checked), 'aria-label': name === label ? undefined : name, 'aria-describedby': note ? `${id}-note` : undefined }),
    make('label', { htmlFor: id }, label),
    note ? make('p', { className: 'help', id: `${id}-note` }, note) : null);
}

/**
 * A box to tick, and what can be set while it is ticked. `set` makes it or takes it away; `controls`
 * makes its controls, and gets a function that makes them anew.
 */
export function optional(label, on, { set, controls, path = '', note = '', name = label }) {
  const box = make('div', { className: 'settings', hidden: !on });
  const show = () => box.replaceChildren(...controls(show));
  if (on) show();
  return make('div', { 'data-path': path || undefined }, tick(label, on, (v) => {
    set(v);
    box.hidden = !v;
    if (v) show();
  }, { note, name }), box);
}

export const group = (legend, ...children) => make('fieldset', {}, make('legend', {}, legend), ...children);
