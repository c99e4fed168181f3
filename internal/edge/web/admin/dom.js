// What every page of the controller is built with. Whatever comes from elsewhere is put in as
// text, never as markup.

import { decimals } from './currencies.js';

/** An element with properties (data-, aria- and role as attributes) and children; text stays text. */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.includes('-') || name === 'role') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== '' && child !== false));
  return node;
}

/** The heading of a page. It takes the focus when the page is shown. */
export const heading = (words) => make('h1', { tabIndex: -1, dir: 'auto' }, words);

export const help = (...words) => make('p', { className: 'help' }, ...words);

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time as it is here. */
export function when(text) {
  const at = Date.parse(text);
  return Number.isFinite(at) ? make('time', { dateTime: new Date(at).toISOString() }, format.format(at)) : '';
}

/** A link to the world outside, which does not learn where it was followed from. */
export function outward(href, ...children) {
  return make('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children);
}

let asked = null; // answers the question that is shown

/** Asks before something is done, and resolves to whether it shall be. Another question answers it with no. */
export function confirm({ title, text, yes }) {
  asked?.(false);
  const dialog = document.getElementById('sure');
  document.getElementById('sure-title').textContent = title;
  document.getElementById('sure-text').textContent = text;
  document.getElementById('sure-yes').textContent = yes;
  dialog.returnValue = 'no';
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    const answer = (sure) => {
      dialog.removeEventListener('close', closed);
      asked = null;
      resolve(sure);
    };
    const closed = () => { // told late of an earlier question, it may be open again
      if (!dialog.open) answer(dialog.returnValue === 'yes');
    };
    asked = answer;
    dialog.addEventListener('close', closed);
  });
}

/** Says something to who listens to the page and does not see it. */
export function tell(words) { document.getElementById('say').textContent = words; }

export const loading = () => make('p', { className: 'loading', role: 'status' }, 'Loading…');

export const empty = (title, ...words) => make('div', { className: 'empty' }, make('h2', {}, title), make('p', {}, ...words));

/** What went wrong, in words, and what can be done about it. */
export function trouble({ words, detail, traceId }, again) {
  return make('div', { className: 'trouble', role: 'alert' },
    make('p', {}, words, detail ? [' ', make('bdi', {}, detail)] : null),
    traceId ? make('p', { className: 'reference' }, 'Reference for support: ', make('code', {}, traceId)) : null,
    again ? make('button', { type: 'button', className: 'plain', onclick: again }, 'Try again') : null);
}

/** A shape of an SVG drawing. */
export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.flat().filter(Boolean));
  return node;
}

export const button = (words, onclick, { main = false, ...rest } = {}) => make('button', { type: 'button', className: main ? 'main' : 'plain', onclick, ...rest }, words);

export const section = (title, ...children) => make('section', {}, make('h2', {}, title), ...children);

/** Something that is opened to see more of it. */
export const more = (title, ...children) => make('details', {}, make('summary', {}, title), make('div', { className: 'within' }, ...children));

/** A message that something was done, with what can be done about it. */
export const done = (words, ...actions) => make('div', { className: 'done', role: 'status' }, make('p', {}, words), ...actions);

/** Money in minor units, as one writes it. */
export function money(minor, currency) {
  const digits = decimals(currency);
  const amount = minor / 10 ** digits;
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount);
  } catch {
    return `${amount} ${currency ?? ''}`.trim();
  }
}

/** A name in code as one would say it: photo_added is "Photo added". */
export function said(name) {
  const words = String(name ?? '').replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.-]+/g, ' ').trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const facts = (...pairs) => make('dl', { className: 'facts' }, pairs.filter(Boolean).map(([name, ...value]) => (
  make('div', {}, make('dt', {}, name), make('dd', {}, ...value)))));
