// The frame of the controller's pages: which page an address means, who is signed in, and what
// is shown while a page is read or when it cannot be.
//
// A page is a function of {query, params, signal, go, refresh} that resolves to its nodes, the
// first of them its heading; what it throws is shown in words.

import { Failure, keepToken, token } from './api.js';
import { empty, heading, loading, make, trouble } from './dom.js';
import { report, reports } from './reports.js';
import { finish, returned, signIn, signOut } from './signin.js';

const pages = [
  [/^\/admin\/reports\/?$/, reports],
  [/^\/admin\/reports\/([^/]+)$/, report],
];
const FIRST = '/admin/reports';

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const out = document.getElementById('out');

let config = null;  // how one signs in
let shown = null;   // aborts what the page shown still asks for
let here = '';      // the address of the page shown
let moved = false;  // somebody has gone from one page to another: the new one takes the focus

async function show() {
  shown?.abort();
  shown = new AbortController();
  here = location.pathname + location.search;
  const { signal } = shown;
  const wait = setTimeout(() => put([loading()]), moved ? 150 : 0); // a quick answer does without
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

function page(signal) {
  const address = new URL(location.href);
  for (const [path, view] of pages) {
    const match = path.exec(address.pathname);
    if (match) return view({ query: address.searchParams, params: match.slice(1).map(decodeURIComponent), signal, go, refresh: show });
  }
  return [heading('There is no such page'), empty('', 'Go on to the ', make('a', { href: FIRST }, 'reports'), '.')];
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
  try {
    await setUp();
  } catch (failure) {
    return [heading('Sign in'), trouble(failure, show)];
  }
  return signIn(config, enter, ended ? { words: 'Your sign-in has ended. Please sign in again.' } : null);
}

function put(nodes) {
  main.replaceChildren(...nodes.filter(Boolean));
  const title = main.querySelector('h1');
  document.title = title ? `${title.textContent} – Merve for staff` : 'Merve for staff';
  nav.hidden = out.hidden = token() === null;
  for (const link of nav.querySelectorAll('a')) {
    if (location.pathname.startsWith(link.pathname)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (moved && title) title.focus();
  if (title) moved = false;
}

/** Goes to a page. */
function go(address, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  moved = true;
  scrollTo(0, 0);
  return show();
}

function enter() {
  moved = true;
  return show();
}

function leave() {
  signOut();
  moved = true;
  history.pushState(null, '', '/admin');
  start();
}

/** Follows a link of ours without loading everything again; others, and new tabs, are the browser's. */
function follow(event) {
  const link = event.target.closest('a[href]');
  const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !plain || link.target || link.origin !== location.origin || link.hash || !link.pathname.startsWith('/admin')) return;
  event.preventDefault();
  go(link.href);
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
document.addEventListener('click', follow);
addEventListener('popstate', () => {
  if (location.pathname + location.search === here) return; // only a place on the page
  moved = true;
  show();
});
start();
