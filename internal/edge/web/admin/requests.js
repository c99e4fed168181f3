// The desk of requests that no listing answers: a board by state, and one request with its vendors, quotes, audit and what
// happened. The desk looks, presents, writes and cancels. Only the client's YES accepts a quote, unless nobody else asks.

import { Failure, call, list, path } from './api.js';
import { button, confirm, empty, facts, heading, help, make, more, outward, said, section, tell, trouble, when } from './dom.js';
import { area, field, number, text } from './fields.js';

const states = {
  new: 'New', clarifying: 'Being clarified', searching: 'Searching', outreach: 'Vendors are asked', quoted: 'Quotes are in', presented: 'Shown to the client',
  accepted: 'Accepted', fulfilled: 'Done', cancelled: 'Cancelled', error: 'In trouble',
};
const good = new Set(['accepted', 'fulfilled']);
const badge = (state) => make('span', { className: 'status', 'data-status': good.has(state) ? 'resolved' : state === 'error' ? 'error' : state === 'cancelled' ? 'off' : 'completed' }, states[state] ?? said(state));

export async function page(ctx) {
  const { market, query } = ctx;
  if (!market) return [heading('Requests'), empty('There is no market yet', 'Add one on the page Market.')];
  return query.has('request') ? one(ctx) : board(ctx);
}

async function board(ctx) {
  const { market, signal, address } = ctx;
  const all = list((await call(`${path('markets', market, 'requests')}?limit=100`, { signal })).requests);
  const by = Object.groupBy(all, (r) => r.state);
  const columns = Object.keys(states).filter((s) => by[s]).map((s) => section(`${states[s]} (${by[s].length})`, make('ul', { className: 'rows' }, by[s].map((r) => make('li', { className: 'row' },
    make('h3', {}, make('a', { href: address({ request: r.request_id }) }, r.code), ' · ', make('bdi', {}, r.category)),
    make('p', {}, make('bdi', {}, need(r.requirements))),
    make('p', { className: 'soft' }, when(r.updated_at)))))));
  return [
    heading('Requests'), help('What customers look for that no listing offers, by how far it has come.'),
    all.length ? null : empty('No requests', 'They appear here when somebody asks for what no listing offers, or when you make one.'), ...columns, adding(ctx),
  ].filter(Boolean);
}

/** What is needed, in one line. */
const need = (requirements) => Object.entries(requirements ?? {}).map(([name, v]) => `${said(name)}: ${plain(v)}`).join(' · ');

const plain = (v) => (typeof v === 'object' ? JSON.stringify(v) : String(v));

/** Makes a request: for a client who is written to on WhatsApp, or for the desk itself. */
function adding({ market, go, address }) {
  const made = { category: '', requirements: {}, name: '', phone: '' };
  const place = make('div');
  const needs = (name) => (v) => { made.requirements[name] = v; };
  async function add() {
    const requirements = Object.fromEntries(Object.entries(made.requirements).filter(([, v]) => v !== '' && v !== null));
    try {
      const { request_id: request } = await call(path('markets', market, 'requests'), {
        method: 'POST', body: { category: made.category, requirements, ...(made.phone && { client: { phone: made.phone.replace(/[\s()-]/g, ''), name: made.name } }) },
      });
      await go(address({ request }));
      tell('The request is made.');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      place.replaceChildren(trouble(error));
    }
  }
  return more('Make a request', place, make('div', { className: 'settings' },
    field('Kind', text('', (v) => { made.category = v; }), { note: 'By which vendors are found, such as generator rental.' }),
    field('What is needed', text('', needs('need')), { note: 'As vendors are told, such as a generator of 60 kVA.' }),
    field('Where', text('', needs('place'))), field('When', text('', needs('when'))),
    field('Budget', number(null, needs('budget'), { min: 0 }), { note: 'No vendor is told.' }),
    field('Name of the client', text('', (v) => { made.name = v; }), { note: 'Empty if the desk itself needs it.' }),
    field('Telephone of the client', text('', (v) => { made.phone = v; }, { type: 'tel' }), { note: 'With country code.' })),
  button('Make it', add, { main: true }));
}

async function one(ctx) {
  const { market, query, signal, address, refresh } = ctx;
  const id = query.get('request');
  const file = await call(path('markets', market, 'requests', id), { signal });
  const r = file.request;
  const place = make('div', { className: 'answer' });

  /** Calls a tool as a person at the desk. What a gate refuses is told in its own words. */
  async function use(tool, input, words) {
    try {
      const meta = { request_id: id, idempotency_key: `request:${id}:hash:${crypto.randomUUID()}`, actor: 'admin', timestamp: new Date().toISOString() };
      const answer = await call(path('tools', `marketplace.${tool}`), { root: '/marketplace/', method: 'POST', body: { meta, request_id: id, ...input(meta.idempotency_key) } });
      if (answer.success === false) {
        place.replaceChildren(trouble({ words: 'This was not done.', detail: answer.error }));
        place.scrollIntoView({ block: 'nearest' });
        return;
      }
      await refresh();
      tell(words);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      place.replaceChildren(trouble(error));
      place.scrollIntoView({ block: 'nearest' });
    }
  }

  const asked = list(r.vendor_outreach_summary?.outreach);
  const open = file.next?.includes('cancelled');
  async function cancel() {
    if (await confirm({ title: `Cancel request ${r.code}?`, text: [file.client ? 'The client is told.' : '', r.state === 'accepted' ? 'The vendor whose quote was accepted is told that it is cancelled, and the record has your name.' : 'Vendors who were asked are told that it is over.'].filter(Boolean).join(' '), yes: 'Cancel it' })) {
      await use('update_request_state', () => ({ new_state: 'cancelled' }), 'The request is cancelled.');
    }
  }
  return [
    heading(`Request ${r.code}`), make('p', { className: 'back' }, make('a', { href: address() }, '← All requests')), place,
    make('p', {}, badge(r.state), ' ', make('bdi', {}, r.category), r.waiting_for ? ' · a question waits for the client' : ''),
    facts(...Object.entries(r.requirements ?? {}).map(([name, v]) => [said(name), make('bdi', {}, plain(v))]),
      ['Client', file.client ? make('a', { href: `/admin/threads?${new URLSearchParams({ marketId: market, thread: r.conversation_id })}` }, 'Read the conversation') : 'None: it is the desk’s own']),
    make('div', { className: 'act' },
      file.next?.includes('presented') ? button('Show the quotes to the client', () => use('update_request_state', () => ({ new_state: 'presented' }), 'The quotes are shown.'), { main: true }) : null,
      open ? button('Cancel it…', cancel) : null),
    quotes(r, asked, file, use),
    shortlist(r, asked, open, use),
    file.client && open ? writing(use) : null,
    pictures(list(file.pictures)), found(ctx, id),
    section('What happened', make('ol', { className: 'events' }, list(file.events).map((e) => make('li', {}, when(e.at), ' ', make('b', {}, said(e.type)),
      e.to && e.to !== e.from ? ` ${states[e.from] ?? ''} → ${states[e.to] ?? e.to}` : '', ' by ', make('bdi', {}, e.by),
      e.text ? make('blockquote', { dir: 'auto' }, e.text) : null)))),
    audit(file),
  ].filter(Boolean);
}

/** The quotes side by side, each beside what its vendor wrote. */
function quotes(r, asked, file, use) {
  if (asked.length === 0) return null;
  return section('Vendors who were asked', make('ul', { className: 'quotes' }, asked.map((o) => {
    const q = o.quote;
    const accept = async () => {
      if (await confirm({ title: `Accept the quote of ${o.vendor_name}?`, text: 'The vendor is told that it is accepted, in your name. The others are thanked.', yes: 'Accept it' })) {
        await use('propose_acceptance', () => ({ outreach_id: o.outreach_id }), 'The quote is accepted.');
      }
    };
    return make('li', { className: 'row', 'data-state': o.state },
      make('h3', {}, make('bdi', {}, o.vendor_name)),
      make('p', {}, make('span', { className: 'status', 'data-status': o.outreach_id === r.accepted_outreach_id ? 'resolved' : q ? 'completed' : 'off' }, o.outreach_id === r.accepted_outreach_id ? 'Accepted' : said(o.state))),
      q ? facts(['Has it', q.has_stock === undefined ? 'Not said' : q.has_stock ? 'Yes' : 'No'], ['Price', priceOf(q)], q.noted_by ? ['By telephone', `Noted by ${q.noted_by}`] : null,
        q.availability ? ['When', make('bdi', {}, q.availability)] : null, q.notes ? ['Notes', make('bdi', {}, q.notes)] : null, ['Good until', when(q.expires_at)]) : null,
      q ? make('blockquote', { dir: 'auto' }, q.text) : null,
      q?.acceptable && !file.client && file.next?.includes('accepted') ? button('Accept this quote…', accept) : null,
      file.next?.length ? ask(o, use) : null);
  })));
}

/** What a quote asks for: a price in its own currency, or that there is none which is clear. */
function priceOf(q) {
  if (q.price === undefined) return q.price_status === 'unclear' ? 'Not clear: it cannot be accepted' : 'Not said';
  return `${q.price} ${q.currency}${q.price_status === 'assumed' ? ' (they named no currency; we asked in it)' : ''}`;
}

/** Writes to a vendor in the name of whoever is signed in. The client's YES covers three messages to each. */
function ask(o, use) {
  let words = '';
  return more('Write to them', field('Message', area('', (v) => { words = v; }, { maxLength: 1000 }), { wide: true, note: 'It goes out in your name, not as the client’s.' }),
    button('Send it', () => use('send_vendor_message', (key) => ({ vendor_id: o.vendor_id, message: words, idempotency_key: key }), 'The message is sent.'), { 'aria-label': `Send the message to ${o.vendor_name}` }));
}

/** Vendors who were found, and the way to ask those who were not yet. */
function shortlist(r, asked, open, use) {
  const found = list(r.shortlist);
  const left = found.filter((v) => !asked.some((o) => o.vendor_id === v.vendor_id));
  if (!open) return null;
  return section('Vendors who were found',
    found.length ? make('ul', { className: 'rows' }, found.map((v) => make('li', {}, make('bdi', {}, v.name), v.distance_km === undefined ? '' : ` · ${v.distance_km} km`, v.rating === undefined ? '' : ` · rated ${v.rating}`))) : help('Nobody yet.'),
    make('div', { className: 'act' },
      button('Look for vendors', () => use('search_vendors', () => ({ category: r.category }), 'Vendors were looked for.')),
      left.length ? button(`Propose to ask ${left.length === 1 ? left[0].name : `these ${left.length}`}`, () => use('propose_outreach', () => ({ vendor_ids: left.map((v) => v.vendor_id) }), 'It is proposed.')) : null));
}

/** Writes to the client. */
function writing(use) {
  const wish = { message: '', options: '' };
  const options = () => wish.options.split(',').map((o) => o.trim()).filter(Boolean);
  return section('Write to the client', make('div', { className: 'settings' },
    field('Message', area('', (v) => { wish.message = v; }, { maxLength: 1000 }), { wide: true }),
    field('Answers to choose from', text('', (v) => { wish.options = v; }), { note: 'Up to three, with commas between, of 20 characters each. Usually none.' })),
  button('Send it', () => use('send_client_message', (key) => ({
    message: wish.message, idempotency_key: key, message_type: options().length ? 'interactive' : 'text', ...(options().length && { interactive_options: options() }),
  }), 'The message is sent.'), { 'aria-label': 'Send it to the client' }));
}

/** What was read in pictures, beside each, with what somebody has to check. */
function pictures(all) {
  if (all.length === 0) return null;
  return section('Read in pictures', ...all.map(({ picture, read: job }) => {
    const doubtful = new Set(job.needs_check ?? []);
    const figure = (name, value) => [String(value ?? ''), doubtful.has(name) ? make('b', { className: 'wrong' }, ' to be checked') : null];
    const read = job.extracted;
    return make('div', { className: 'row' },
      make('p', {}, make('span', { className: 'status', 'data-status': job.status === 'completed' ? 'resolved' : 'off' }, said(job.status)),
        job.confidence === undefined ? '' : ` · confidence ${Math.round(job.confidence * 100)} %`, job.error ? ` · ${job.error}` : ''),
      make('div', { className: 'photos' }, picture ? outward(picture, make('img', { src: picture, alt: 'The picture that was read', loading: 'lazy' })) : null,
        list(read?.lines).length ? make('table', {}, make('thead', {}, make('tr', {}, ['Item', 'Quantity', 'Each', 'Total'].map((h) => make('th', { scope: 'col' }, h)))),
          make('tbody', {}, list(read.lines).map((l, i) => make('tr', {}, make('td', { dir: 'auto' }, l.item),
            ['quantity', 'unit_price', 'total'].map((name) => make('td', {}, figure(`lines[${i}].${name}`, l[name]))))))) : null),
      read?.total === undefined ? null : make('p', {}, 'Total: ', figure('total', `${read.total} ${read.currency ?? ''}`)));
  }));
}

/** What was found on the web and on the map. It is read again each time, and nobody has checked it. */
function found({ signal }, id) {
  const body = make('div');
  async function show() {
    try {
      const items = list((await call(path('requests', id, 'feed'), { root: '/marketplace/', signal })).feed_items);
      body.replaceChildren(items.length ? make('ul', { className: 'rows' }, items.map((i) => make('li', {}, outward(safe(i.url), make('bdi', {}, i.title)), ` · ${said(i.source)}`,
        i.snippet ? make('p', { className: 'soft', dir: 'auto' }, i.snippet) : null))) : help('Nothing was found.'));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      body.replaceChildren(error.kind === 'missing' ? help('Nothing was found.') : trouble(error));
    }
  }
  return more('Found outside, and not checked', button('Show it', show), body);
}

const safe = (url) => (/^https?:\/\//.test(url ?? '') ? url : '#');

function audit(file) {
  const all = list(file.audit);
  return section('Audit', make('p', { className: 'chain' }, file.verified ? `✓ The chain of ${all.length} records holds.` : `✗ The chain is broken: ${file.broken}`),
    more('Records', make('ol', { className: 'events' }, all.map((a) => make('li', {}, when(a.created_at), ' ', make('b', {}, a.tool_name), ` by ${a.actor} · ${a.success ? 'done' : a.error || 'refused'} · ${a.duration_ms} ms`,
      make('div', { className: 'soft' }, make('code', { className: 'hash' }, a.hash?.slice(0, 16))))))));
}
