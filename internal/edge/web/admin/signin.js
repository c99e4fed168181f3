// Signing in: with the issuer of the market's staff by OpenID Connect (authorization code with
// PKCE, RFC 7636), or on this machine with the token that the runner prints.

import { Failure, call, keepToken } from './api.js';
import { heading, help, make, trouble } from './dom.js';

const BEGUN = 'merve.admin.signin'; // {state, nonce, verifier, back}
const LEFT = 'merve.admin.left';    // somebody has signed out: the issuer shall ask who it is
const RETURN = '/admin/signed-in';

/** The page on which one signs in. `then` is called when somebody has; `problem` says why the last try failed. */
export function signIn(config, then, problem) {
  const ways = [config.issuer && config.clientId ? withIssuer(config) : null, config.local ? withToken(then) : null].filter(Boolean);
  return [
    heading('Sign in'),
    make('p', {}, 'These pages are for the people who look after reports and bookings.'),
    problem ? trouble(problem) : null,
    ...ways,
    ways.length ? null : help('No way to sign in is set up yet. Whoever runs this system has to set AUTH_ISSUER and AUTH_AUDIENCE.'),
  ];
}

function withIssuer(config) {
  const place = make('div');
  const button = make('button', { type: 'button', className: 'main', onclick: go }, 'Sign in with your work account');
  async function go() {
    button.disabled = true;
    place.replaceChildren();
    try {
      location.assign(await begin(config, location.pathname + location.search));
    } catch (error) {
      button.disabled = false;
      place.replaceChildren(trouble(error instanceof Failure ? error : new Failure('network')));
    }
  }
  return make('section', {}, button, place,
    help('You go to the sign-in page of ', make('b', {}, new URL(config.issuer).host), ' and come back here. You stay signed in until you close this tab or sign out.'));
}

function withToken(then) {
  const field = make('input', { id: 'token', type: 'password', autocomplete: 'off', spellcheck: false, required: true, 'aria-describedby': 'token-help' });
  const button = make('button', { className: 'main' }, 'Sign in');
  const place = make('div');
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    place.replaceChildren();
    try {
      const bearer = field.value.trim();
      if (!/^[\x21-\x7e]+$/.test(bearer)) throw new Failure('signed-out'); // no header can carry it
      await call('markets', { bearer });
      keepToken(bearer);
      then();
    } catch (error) {
      const wrong = error.kind === 'signed-out' || error.kind === 'forbidden';
      place.replaceChildren(trouble(wrong ? { words: 'That is not the token. Copy it again, without the word Bearer.' } : error));
      field.setAttribute('aria-invalid', String(wrong));
      button.disabled = false;
      field.focus();
    }
  }
  return make('form', { className: 'token', onsubmit: submit },
    make('label', { htmlFor: 'token' }, 'Admin token'),
    make('div', { className: 'field' }, field, button),
    make('p', { id: 'token-help', className: 'help' },
      'It is in the window in which Merve was started, in the line that begins with “admin”: the letters and digits after the word token. It is a new one at each start, unless ADMIN_TOKEN is set.'),
    place);
}

/** Forgets who is signed in. */
export function signOut() {
  keepToken(null);
  store(LEFT, 'yes');
}

// --- OpenID Connect ---

/** Makes ready to sign in, and returns the issuer's address to go to. Afterwards it leads back. */
export async function begin(config, back) {
  const { authorization_endpoint: endpoint } = await discover(config);
  const begun = { state: random(), nonce: random(), verifier: random(), back };
  store(BEGUN, JSON.stringify(begun));
  const address = new URL(endpoint);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(begun.verifier));
  for (const [name, value] of Object.entries({
    response_type: 'code', client_id: config.clientId, redirect_uri: location.origin + RETURN, scope: 'openid profile email',
    state: begun.state, nonce: begun.nonce, code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: 'S256',
  })) address.searchParams.set(name, value);
  if (take(LEFT)) address.searchParams.set('prompt', 'login');
  return address.href;
}

/** Whether the issuer has sent somebody back to this address. */
export const returned = (address) => address.pathname === RETURN;

/** Takes up what the issuer sent along, and returns where to go on. */
export async function finish(config, address) {
  const begun = parse(take(BEGUN));
  const given = address.searchParams;
  if (!begun || given.get('state') !== begun.state) throw refused('This sign-in was not begun in this tab. Please begin again.');
  if (given.has('iss') && given.get('iss') !== config.issuer) throw refused('Another issuer has answered.'); // RFC 9207
  if (!given.get('code')) throw refused(given.get('error_description') ?? given.get('error') ?? '');
  const { token_endpoint: endpoint } = await discover(config);
  const answer = await fetchJSON(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code', code: given.get('code'), redirect_uri: location.origin + RETURN,
      client_id: config.clientId, code_verifier: begun.verifier,
    }),
  });
  check(config, begun, answer.id_token);
  keepToken(answer.id_token);
  return begun.back?.startsWith('/admin') ? begun.back : '/admin';
}

// The token came from the issuer itself over TLS, so its signature is for the API to check (OpenID Connect Core
// §3.1.3.7); that it is for us and for this sign-in is for us.
function check({ issuer, clientId }, { nonce }, idToken) {
  const claims = parse(decode(String(idToken).split('.')[1]));
  if (claims?.iss !== issuer || ![claims.aud].flat().includes(clientId) || claims.nonce !== nonce) {
    throw refused('The answer is not for this sign-in. Please begin again.');
  }
}

async function discover({ issuer }) {
  const found = await fetchJSON(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const usable = [found.authorization_endpoint, found.token_endpoint].every((address) => /^https:|^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(address));
  if (found.issuer !== issuer || !usable) throw refused('The issuer describes itself as another one.');
  return found;
}

async function fetchJSON(address, init = {}) {
  let response;
  try {
    response = await fetch(address, { ...init, credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(30_000) });
  } catch {
    throw new Failure('network');
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw refused(body.error_description ?? body.error ?? '');
}

const refused = (detail) => Object.assign(new Failure('refused', { detail }), { words: 'You could not be signed in.' });

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}

function decode(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

function parse(text) {
  try { return JSON.parse(text); } catch { return null; }
}

function store(key, value) {
  try { sessionStorage.setItem(key, value); } catch { /* then there is no coming back, and finish says so */ }
}

function take(key) {
  try {
    const value = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return value;
  } catch {
    return null;
  }
}
