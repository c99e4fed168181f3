// The damage reports: the list by status, and one of them.

import { call, list } from './api.js';
import { confirm, empty, heading, help, make, outward, said, section, tell, trouble, when } from './dom.js';

const PAGE = 25;

/** What each status is called, and what it means to who works on the reports. */
const statuses = {
  pending: { word: 'Pending', meaning: 'The customer is still describing these. There is nothing to do for you yet.' },
  completed: { word: 'Completed', meaning: 'These are fully described and wait for you. Open one to see the place and the photos.' },
  resolved: { word: 'Resolved', meaning: 'These have been taken care of, and their owners were told.' },
};

const channels = { messenger: 'Messenger', web: 'web chat', whatsapp: 'WhatsApp', app: 'the app', live: 'a live session' };

const channelOf = ({ owner }) => channels[owner?.channel] ?? String(owner?.channel ?? '');
const ownerOf = ({ owner }) => owner?.name || 'the customer';
const addressOf = (report) => report.address || 'No address yet';
const badge = ({ status }) => make('span', { className: 'status', 'data-status': status }, statuses[status]?.word ?? String(status ?? ''));

// --- the list ---

/** The page of the reports of one market with one status. */
export async function page({ query, signal, market }) {
  if (!market) return [heading('Reports'), empty('There is no market yet', 'Reports belong to a market. Whoever runs this system has to add one.')];
  const status = Object.hasOwn(statuses, query.get('status')) ? query.get('status') : 'completed';
  const address = (change) => `/admin/reports?${new URLSearchParams({ marketId: market, status, ...change })}`;
  const rows = make('ul', { className: 'rows' });
  const rest = make('div', { className: 'rest' });
  const count = await more({ rows, rest, market, status, signal });
  return [
    heading('Reports'),
    make('nav', { className: 'tabs', 'aria-label': 'Reports by status' }, Object.entries(statuses).map(([key, { word }]) => (
      make('a', { href: address({ status: key }), 'aria-current': key === status ? 'page' : undefined }, word)))),
    help(statuses[status].meaning),
    count ? rows : empty(`No ${statuses[status].word.toLowerCase()} reports`, 'There are none in this market right now.'),
    rest,
  ];
}

/** Adds a page of reports to rows and returns how many came. The button to go on stands in rest. */
async function more({ rows, rest, market, status, signal }, after) {
  const query = new URLSearchParams({ marketId: market, status, limit: PAGE, ...(after && { after }) });
  const { reports: found, next } = await call(`reports?${query}`, { signal });
  const items = list(found).map(row);
  rows.append(...items);
  const button = next && make('button', { type: 'button', className: 'plain', onclick: onward }, 'Show more');
  async function onward() {
    button.disabled = true;
    try {
      const seen = rows.children.length;
      await more({ rows, rest, market, status, signal }, next);
      rows.children[seen]?.querySelector('a').focus();
    } catch (error) {
      rest.replaceChildren(trouble(error, onward));
    }
  }
  rest.replaceChildren(...(button ? [button] : []));
  return items.length;
}

function row(report) {
  const photos = Number(report.photoCount) || 0;
  return make('li', { className: 'row' },
    make('h2', {}, make('a', { href: `/admin/reports/${encodeURIComponent(report.id)}`, dir: 'auto' }, addressOf(report))),
    make('p', {}, 'From ', make('bdi', {}, ownerOf(report)), ` by ${channelOf(report)}`, ` · ${photos === 1 ? '1 photo' : `${photos} photos`}`),
    make('p', { className: 'soft' }, 'Reported ', when(report.createdAt), ', last changed ', when(report.updatedAt)));
}

// --- one report ---

/** The page of one report. */
export async function detail({ params: [id], signal, refresh }) {
  const found = await call(`reports/${encodeURIComponent(id)}`, { signal });
  const place = make('div');

  /** Does something to the report and shows it anew, or says in `place` why not. */
  async function change(path, done) {
    place.replaceChildren();
    try {
      await call(`reports/${encodeURIComponent(id)}/${path}`, { method: 'POST' });
      await refresh();
      document.querySelector('main h1')?.focus();
      tell(done);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }

  return [
    heading(addressOf(found)),
    make('p', { className: 'back' }, make('a', { href: `/admin/reports?${new URLSearchParams({ ...(found.marketId && { marketId: found.marketId }), status: found.status })}` }, '← All reports like this')),
    make('p', {}, badge(found), ' ', statusLine(found)),
    resolving(found, change),
    place,
    facts(found),
    ...list(found.sections).map(({ name, title, text }) => section(make('bdi', {}, String(title ?? name ?? '')), make('p', { className: 'said', dir: 'auto' }, String(text ?? '')))),
    section('Photos', photos(list(found.photos))),
    section('What happened', events(list(found.events))),
    section('Shared links', links(list(found.links), change)),
  ];
}

function statusLine({ status }) {
  return { pending: 'The customer is still describing it.', completed: 'It is fully described and waits for you.', resolved: 'It has been taken care of, and its owner was told.' }[status] ?? '';
}

function resolving(found, change) {
  if (found.status !== 'completed') {
    return found.status === 'pending' ? help('It can be resolved once the customer has completed it.') : null;
  }
  const [owner, channel] = [ownerOf(found), channelOf(found)];
  async function ask() {
    const sure = await confirm({
      title: 'Resolve this report?',
      text: `Do this when the damage has been taken care of. We then tell ${owner} by ${channel} that it is resolved. It cannot be taken back.`,
      yes: 'Resolve and tell the owner',
    });
    if (sure) await change('resolve', `Resolved. ${owner} is told by ${channel}.`);
  }
  return make('div', { className: 'act' },
    make('button', { type: 'button', className: 'main', onclick: ask, 'aria-describedby': 'resolve-help' }, 'Resolve…'),
    make('p', { className: 'help', id: 'resolve-help' }, 'When the damage has been taken care of. We ask once more, and then tell ', make('bdi', {}, owner), ` by ${channel}.`));
}

function facts(found) {
  const fact = (name, ...value) => make('div', {}, make('dt', {}, name), make('dd', {}, ...value));
  return make('dl', { className: 'facts' },
    fact('Owner', make('bdi', {}, ownerOf(found)), ` (${channelOf(found)})`),
    fact('Address', make('bdi', {}, addressOf(found))),
    fact('Place', ...map(found)),
    fact('Reported', when(found.createdAt)),
    fact('Last changed', when(found.updatedAt)),
    fact('Report number', make('code', {}, String(found.id))),
    found.threadId ? fact('Conversation number', make('code', {}, String(found.threadId))) : null);
}

function map({ lat, lng }) {
  if (typeof lat !== 'number' || typeof lng !== 'number') return ['Not known'];
  const at = [lat, lng].map((n) => n.toFixed(5));
  return [make('bdi', { dir: 'ltr' }, at.join(', ')), ' ',
    outward(`https://www.openstreetmap.org/?mlat=${at[0]}&mlon=${at[1]}#map=18/${at[0]}/${at[1]}`, 'Show on the map')];
}

function photos(all) {
  if (all.length === 0) return help('There are no photos.');
  return make('ul', { className: 'photos' }, all.map(({ url, caption }, i) => {
    const words = String(caption || `Photo ${i + 1}`);
    const href = address(url);
    const image = href && make('img', { src: href, alt: words, loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer' });
    return make('li', {}, make('figure', {},
      image ? outward(href, image) : help('This photo cannot be shown.'), make('figcaption', { dir: 'auto' }, words)));
  }));
}

/** The address of something on the web, or ''. */
function address(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : '';
  } catch {
    return '';
  }
}

function events(all) {
  if (all.length === 0) return help('Nothing is recorded.');
  return make('ol', { className: 'events' }, all.map(({ at, type, by }) => (
    make('li', {}, when(at), ' ', make('b', {}, said(type)), by ? [' by ', make('bdi', {}, String(by))] : null))));
}

function links(all, change) {
  const what = help('Whoever has such a link can see this report until it ends. Revoke one that fell into the wrong hands.');
  if (all.length === 0) return [help('This report has not been shared by a link.')];
  return [what, make('ul', { className: 'links' }, all.map((link, i) => make('li', {}, state(link, i), revoking(link, i, change))))];
}

function state({ expiresAt, opened, revoked }, i) {
  const count = Number(opened) || 0;
  const ended = Date.parse(expiresAt) <= Date.now();
  return make('p', {}, make('b', {}, `Link ${i + 1}: `), revoked ? 'revoked' : [ended ? 'ended ' : 'works until ', when(expiresAt)],
    `, opened ${count === 1 ? 'once' : `${count} times`}`);
}

function revoking({ id, expiresAt, revoked }, i, change) {
  if (revoked || Date.parse(expiresAt) <= Date.now()) return null;
  async function ask() {
    const sure = await confirm({ title: `Revoke link ${i + 1}?`, text: 'Nobody can open it any more. The report itself stays as it is, and a new link can be made.', yes: 'Revoke' });
    if (sure) await change(`links/${encodeURIComponent(id)}/revoke`, `Link ${i + 1} is revoked.`);
  }
  return make('button', { type: 'button', className: 'plain', onclick: ask, 'aria-label': `Revoke link ${i + 1}` }, 'Revoke…');
}
