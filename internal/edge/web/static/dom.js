// Elements out of what comes from elsewhere, which is put in as text, never as markup.

/** An element with properties (data-, aria- and role as attributes) and children; text stays text. */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes('-') || name === 'role') node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
}

/** An SVG element with attributes and children. */
export function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function icon(path) {
  return draw('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, draw('path', { d: path }));
}

export function show(node, visible) { node.hidden = !visible; }

/** A word of a card, or '' when it is nothing that can be read. */
export function text(value) { return typeof value === 'string' ? value : Number.isFinite(value) ? String(value) : ''; }

export function list(value) { return Array.isArray(value) ? value : []; }

export function parse(address) {
  try { return new URL(address, location.href); } catch { return null; }
}

/** The address if a link may lead there or a picture come from there: https, or this site itself. */
export function safe(address) {
  const url = /^(https?:\/)?\//.test(text(address)) ? parse(address) : null;
  return url && !url.username && (url.protocol === 'https:' || url.origin === location.origin) ? url.href : '';
}

export function outward(href, ...label) {
  return make('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', dir: 'auto' }, ...label);
}

/** Whether what stands at an index is quoted: somebody else's line, which begins with ">". */
function quoted(value, index) {
  return /^[\u2066-\u2069\u200e\u200f]*>/.test(value.slice(value.lastIndexOf('\n', index) + 1, index));
}

/** Text with its https links. Anything less plain than a printable ASCII address, and what is quoted, stays text. */
export function linked(value) {
  const parts = [];
  let from = 0;
  for (const match of value.matchAll(/https:\/\/[!#-;=?-~]+/g)) {
    const address = match[0].replace(/[.,:;!?)\]}'*_]+$/, '');
    const href = safe(address);
    if (!href || quoted(value, match.index)) continue;
    parts.push(value.slice(from, match.index), outward(href, address));
    from = match.index + address.length;
  }
  parts.push(value.slice(from));
  return parts;
}

/** A line in soft letters, or null when there is nothing to say. */
export function line(value) {
  return text(value) ? make('span', { className: 'soft', dir: 'auto' }, text(value)) : null;
}

/** Lines, one above the other. */
export function lines(...all) { return make('span', { className: 'lines' }, ...all); }
