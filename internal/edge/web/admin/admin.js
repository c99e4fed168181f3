// The frame of the controller's pages: which page an address means, who is signed in, which
// market is looked at, and what is shown while a page is read or when it cannot be.
//
// A page is a function of {query, params, signal, go, refresh, market, markets, address} that
// resolves to its nodes, the first of them its heading; what it throws is shown in words.

import { Failure, call, keepToken, token } from './api.js';
import { empty, heading, loading, make, tell, trouble } from './dom.js';
import { forget, mayLeave } from './guard.js';
import { finish, returned, signIn, signOut } from './signin.js';

// What there is, in groups: the name in the address, what it is called, and where it is.
const groups = [
  ['', [['overview', 'Overview', () => import('./overview.js')]]],
  ['Day to day', [
    ['threads', 'Threads', () => import('./threads.js')],
    ['orders', 'Orders', () => import('./orders.js')],
    ['requests', 'Requests', () => import('./requests.js')],
    ['rides', 'Rides', () => import('./rides.js')],
    ['bookings', 'Bookings', () => import('./bookings.js')],
    ['reports', 'Reports', () => import('./reports.js')],
    ['alerts', 'Alerts', () => import('./alerts.js')],
    ['outbox', 'Outbox', () => import('./outbox.js')],
  ]],
  ['Set up', [
    ['market', 'Market', () => import('./market.js')],
    ['assistants', 'Assistants', () => import('./assistants.js')],
    ['tools', 'Tools', () => import('./tools.js')],
    ['messages', 'Messages', () => import('./messages.js')],
    ['listings', 'Listings', () => import('./listings.js')],
    ['drivers', 'Drivers', () => import('./drivers.js')],
    ['places', 'Places', () => import('./places.js')],
    ['vendors', 'Vendors', () => import('./vendors.js')],
    ['customers', 'Customers', () => import('./customers.js')],
    ['visits', 'Visits', () => import('./visits.js')],
  ]],
  ['Look back', [
    ['history', 'History', () => import('./history.js')],
    ['audit', 'Audit', () => import('./audit.js')],
  ]],
];
const FIRST = '/admin/overview';
const MARKET = 'merve.admin.market';

const main = document.getElementById('main');
const side = document.getElementById('nav');
const nav = document.getElementById('pages');
const menu = document.getElementById('menu');
const out = document.getElementById('out');
const chooser = document.getElementById('market');

let config = null;  // how one signs in
let markets = null; // their ids
let shown = null;   // aborts what the page shown still asks for
let here = '';      // the address of the page shown
let moved = false;  // somebody has gone from one page to another: the new one takes the focus

async function show() {
  shown?.abort();
  shown = new AbortController();
  forget();
  here = location.pathname + location.search;
  const { signal } = shown;
  const wait = setTimeout(() => signal.aborted || put([loading()]), moved ? 150 : 0); // a quick answer does without
  let nodes;
  try {
    nodes = await page(signal);
  } catch (error) {
    if (signal.aborted) return;
    nodes = await instead(error);
  } finally {
    clearTimeout(wait);
  }
  if (!signal.aborted) put(nodes);
}

async function page(signal) {
  const { pathname, searchParams: query } = new URL(location.href);
  const [, name, id] = /^\/admin\/([^/]+)(?:\/([^/]+))?\/?$/.exec(pathname) ?? [];
  const found = groups.flatMap(([, pages]) => pages).find(([key]) => key === name);
  if (!found || (id !== undefined && name !== 'reports')) {
    return [heading('There is no such page'), empty('', 'Go on to the ', make('a', { href: FIRST }, 'overview'), '.')];
  }
  const [module] = await Promise.all([found[2](), readMarkets(signal)]);
  const market = current(query);
  return module[id === undefined ? 'page' : 'detail']({
    query, params: id === undefined ? [] : [decodeURIComponent(id)], signal, go, refresh: show, market, markets, readMarkets: () => { markets = null; },
    address: (change = {}, to = name) => `/admin/${to}?${new URLSearchParams({ ...(market && { marketId: market }), ...change })}`,
  });
}

async function readMarkets(signal) {
  if (markets) return;
  const answer = await call('markets', { signal });
  markets = Array.isArray(answer.markets) ? answer.markets.map(String) : [];
}

/** The market that is looked at: the address's, else the one before, else the first. */
function current(query) {
  const wanted = [query.get('marketId'), remembered()].find((id) => markets.includes(id));
  const market = wanted ?? markets[0] ?? '';
  try { sessionStorage.setItem(MARKET, market); } catch { /* then the first one is shown again */ }
  return market;
}

function remembered() {
  try { return sessionStorage.getItem(MARKET); } catch { return null; }
}

/** What is shown in the place of a page that could not be. */
async function instead(error) {
  if (!(error instanceof Failure)) {
    reportError(error);
    return [heading('This did not work'), trouble(new Failure('server'), show)];
  }
  if (error.kind !== 'signed-out') return [heading('This did not work'), trouble(error, show)];
  const ended = token() !== null;
  keepToken(null);
  markets = null;
  try {
    await setUp();
  } catch (failure) {
    return [heading('Sign in'), trouble(failure, show)];
  }
  return signIn(config, enter, ended ? { words: 'Your sign-in has ended. Please sign in again.' } : null);
}

function put(nodes) {
  main.replaceChildren(...nodes.flat().filter(Boolean));
  const title = main.querySelector('h1');
  document.title = title ? `${title.textContent} – Merve for staff` : 'Merve for staff';
  frame();
  if (moved && title) title.focus();
  if (title) moved = false;
}

/** Shows around the page what goes with who is signed in. */
function frame() {
  const inside = token() !== null;
  side.hidden = out.hidden = menu.hidden = !inside;
  if (!inside) return;
  const market = markets ? current(new URLSearchParams(location.search)) : '';
  document.getElementById('place').hidden = !markets || markets.length < 2;
  chooser.replaceChildren(...(markets ?? []).map((id) => make('option', { value: id, selected: id === market }, id)));
  nav.replaceChildren(...groups.flatMap(([title, pages], i) => [
    title && make('h2', { id: `group-${i}` }, title),
    make('ul', { 'aria-labelledby': title ? `group-${i}` : undefined }, pages.map(([name, words]) => make('li', {}, make('a', {
      href: `/admin/${name}${market && `?marketId=${encodeURIComponent(market)}`}`, 'aria-current': location.pathname.startsWith(`/admin/${name}`) ? 'page' : undefined,
    }, words)))),
  ].filter(Boolean)));
}

/** Goes to a page, unless something on this one would be lost. */
async function go(address, { replace = false, keep = true } = {}) {
  if (keep && !(await mayLeave())) return undefined;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  moved = true;
  fold(true);
  scrollTo(0, 0);
  return show();
}

function enter() {
  moved = true;
  return show();
}

async function leave() {
  if (!(await mayLeave())) return;
  forget();
  signOut();
  markets = null;
  moved = true;
  history.pushState(null, '', '/admin');
  start();
}

/** Follows a link of ours without loading everything again; others, and new tabs, are the browser's. */
function follow(event) {
  const link = event.target.closest('a[href]');
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.target || link.download || link.origin !== location.origin || link.hash || !link.pathname.startsWith('/admin')) return;
  event.preventDefault();
  go(link.href);
}

/** Opens or closes the menu where it does not stand beside the page. */
function fold(closed) {
  menu.setAttribute('aria-expanded', String(!closed));
  side.classList.toggle('open', !closed);
}

async function setUp() {
  if (config) return;
  let response;
  try {
    response = await fetch('/admin/config.json', { cache: 'no-cache', signal: AbortSignal.timeout(30_000) });
  } catch {
    throw new Failure('network');
  }
  if (!response.ok) throw new Failure('server');
  config = await response.json();
}

async function start() {
  const address = new URL(location.href);
  if (/^\/admin\/?$/.test(address.pathname)) return go(FIRST, { replace: true });
  if (!returned(address)) return show();
  put([loading()]);
  history.replaceState(null, '', '/admin/signed-in'); // the code is good once, and for nobody else to see
  try {
    await setUp();
    return go(await finish(config, address), { replace: true });
  } catch (error) {
    history.replaceState(null, '', FIRST);
    moved = true;
    put(config ? signIn(config, enter, error) : [heading('Sign in'), trouble(error, start)]);
  }
}

out.addEventListener('click', leave);
menu.addEventListener('click', () => fold(menu.getAttribute('aria-expanded') === 'true'));
chooser.addEventListener('change', async () => {
  const address = new URL(location.href);
  const status = address.searchParams.get('status');
  address.search = new URLSearchParams({ marketId: chooser.value, ...(status && { status }) });
  await go(address.href);
  frame(); // as it was, when one has stayed
  tell(`Market ${chooser.value}`);
});
document.addEventListener('click', follow);
addEventListener('popstate', async () => {
  const to = location.pathname + location.search;
  if (to === here) return; // only a place on the page
  if (!(await mayLeave())) {
    history.pushState(null, '', here);
    return;
  }
  moved = true;
  show();
});
start();
