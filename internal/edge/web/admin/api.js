// Talks to the admin API as who is signed in. The token is kept for this tab and no longer.

const TOKEN = 'merve.admin.token';
const PATIENCE = 30_000;

let memory = null; // where the tab's storage is denied

/** The token of who is signed in, or null. */
export function token() {
  try { return sessionStorage.getItem(TOKEN) ?? memory; } catch { return memory; }
}

export function keepToken(value) {
  memory = value;
  try {
    if (value === null) sessionStorage.removeItem(TOKEN);
    else sessionStorage.setItem(TOKEN, value);
  } catch { /* memory has it */ }
}

/**
 * A request that did not do what it should. `kind` is one of network, signed-out, forbidden, missing,
 * conflict, refused, server; `field` is the one at fault, `errors` are those of a file's rows.
 */
export class Failure extends Error {
  constructor(kind, { detail = '', traceId = '', field = '', errors = [] } = {}) {
    super(kind);
    Object.assign(this, { kind, detail, traceId, field, errors, words: sentences[kind] });
  }
}

const sentences = {
  network: 'There was no answer. Please check your connection.',
  'signed-out': 'Please sign in.',
  forbidden: 'You are signed in, but not as one of the staff of this place. Ask whoever runs it to add you.',
  missing: 'This is not there, or not any more.',
  conflict: 'This could not be done.',
  refused: 'This could not be done.',
  server: 'Something went wrong on our side.',
};

function kindOf(status) {
  switch (status) {
    case 401: return 'signed-out';
    case 403: return 'forbidden';
    case 404: case 410: return 'missing';
    case 409: return 'conflict';
  }
  return status >= 500 ? 'server' : 'refused';
}

/** Calls the API at path below `root` and returns what it answers, as text where `text` says so. */
export async function call(path, { method = 'GET', signal, bearer = token(), body, type = 'application/json', text = false, root = '/admin/api/' } = {}) {
  const signals = [AbortSignal.timeout(PATIENCE), signal].filter(Boolean);
  const headers = { accept: text ? '*/*' : 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }), ...(body !== undefined && { 'content-type': type }) };
  let response;
  let answer;
  try {
    response = await fetch(root + path, {
      method, headers, cache: 'no-store', signal: AbortSignal.any(signals), body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    answer = await response.text();
  } catch {
    throw new Failure('network');
  }
  const read = parse(answer);
  if (response.ok) return text ? answer : read ?? {};
  throw new Failure(kindOf(response.status), {
    detail: response.status === 401 ? '' : String(read?.detail ?? ''), field: String(read?.field ?? ''), errors: list(read?.errors),
    traceId: String(read?.traceId ?? response.headers.get('x-trace-id') ?? ''),
  });
}

/** Everything of the list `name` at a path, which is answered page by page. */
export async function everything(at, name, signal) {
  const found = [];
  for (let after; ;) {
    const answer = await call(after ? `${at}?${new URLSearchParams({ after })}` : at, { signal });
    found.push(...list(answer[name]));
    after = answer.next;
    if (!after) return found;
  }
}

/** A path out of segments, each of which may be anything. */
export const path = (...segments) => segments.map(encodeURIComponent).join('/');

let known; // what settings can be made of; the same as long as the program is

/** What settings can be made of. */
export async function vocabulary(signal) {
  known ??= await call('vocabulary', { signal });
  return known;
}

function parse(text) {
  try { return JSON.parse(text); } catch { return null; }
}

/** What a list has at `name`, whatever the server sent. */
export const list = (value) => (Array.isArray(value) ? value.filter((item) => item && typeof item === 'object') : []);
