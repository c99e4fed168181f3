// What every page of the controller is built with. Whatever comes from elsewhere is put in as
// text, never as markup.

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

/** Asks before something is done, and resolves to whether it shall be. */
export function confirm({ title, text, yes }) {
  const dialog = document.getElementById('sure');
  document.getElementById('sure-title').textContent = title;
  document.getElementById('sure-text').textContent = text;
  document.getElementById('sure-yes').textContent = yes;
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
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
