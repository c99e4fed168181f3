// The threads: those that wait for a person, search, and one of them: to read, take over, answer and
// hand back.

import { call, list, path } from './api.js';
import { button, confirm, done, empty, facts, heading, help, make, more, said, section, tell, trouble, when } from './dom.js';
import { rounds } from './audit.js';
import { field, select, text } from './fields.js';
import { mayLeave, watch } from './guard.js';
import { messages as sentMessages } from './outbox.js';

const types = { general: 'Customer', business: 'Customer and business', ops: 'Business', dispatch: 'Driver' };
const channels = { messenger: 'Messenger', web: 'web chat', whatsapp: 'WhatsApp', app: 'the app', live: 'a live session' };
const states = { idle: 'Nothing is open', awaiting_confirmation: 'An offer waits for the customer’s YES or NO', executing: 'An answer is being made' };

// What a search can be narrowed to.
const standing = [['', 'Anywhere'], ['person', 'With a person, or waiting for one'], ['awaiting_confirmation', 'An offer waits for YES or NO'], ['executing', 'An answer is being made'], ['idle', 'Nothing is open']];
const by = [['', 'Any channel'], ['whatsapp', 'WhatsApp'], ['messenger', 'Messenger'], ['web', 'Web chat'], ['app', 'The app'], ['live', 'A live session']];

export async function page(ctx) {
  const { query, market, signal, go, address } = ctx;
  if (query.has('thread')) return one(ctx);
  if (!market) return [heading('Threads'), empty('There is no market yet', 'Add one on the page Market.')];
  const asked = Object.fromEntries(['owner', 'state', 'channel'].map((name) => [name, query.get(name) ?? '']).filter(([, v]) => v));
  const searched = query.has('find') || Object.keys(asked).length > 0;
  const [waiting, found] = await Promise.all([call(path('markets', market, 'waiting'), { signal }), searched ? results(ctx, asked) : null]);
  const cases = list(waiting.threads);
  const wanted = { ...asked };
  const want = (name) => (v) => { wanted[name] = v; };
  function find(event) {
    event.preventDefault();
    const owner = (wanted.owner ?? '').trim();
    if (/^th_[0-9a-f]{32}$/.test(owner)) go(address({ thread: owner }));
    else go(address({ find: '', ...Object.fromEntries(Object.entries({ ...wanted, owner }).filter(([, v]) => v)) }));
  }
  return [
    heading('Threads'), help('Conversations of customers, businesses and drivers with Merve.'),
    make('form', { onsubmit: find },
      make('div', { className: 'settings' },
        field('Find a thread', text(asked.owner ?? '', want('owner'), { type: 'search' }), { note: 'By telephone number with country code, by the id of a customer’s account, or by the number of the thread. Empty finds everybody’s.', wide: true }),
        field('Where it stands', select(asked.state ?? '', standing, want('state'))), field('Channel', select(asked.channel ?? '', by, want('channel')), { note: 'By which the customer wrote last.' })),
      make('div', { className: 'act' }, make('button', { className: 'main' }, 'Find'), searched ? make('a', { href: address() }, 'Clear') : null)),
    found,
    section('Waiting for a person', cases.length ? make('ul', { className: 'rows' }, cases.map((c) => make('li', { className: 'row' },
      make('h3', {}, make('a', { href: address({ thread: c.threadId }), dir: 'auto' }, c.name || 'A customer')),
      make('p', {}, make('span', { className: 'status', 'data-status': c.takenBy ? 'completed' : 'pending' }, c.takenBy ? 'With a person' : 'Waits'), ` by ${channels[c.channel] ?? c.channel}`, c.reason ? [' · ', make('bdi', {}, c.reason)] : ''),
      c.letGo ? make('p', {}, 'No longer waits for their answer: ', make('bdi', {}, c.letGo)) : '',
      make('p', { className: 'soft' }, 'Since ', when(c.since), c.takenBy ? [', taken by ', make('bdi', {}, c.takenBy)] : '')))) : empty('Nobody waits', 'Customers who ask for a person stand here.')),
  ];
}

/** What a search finds, page by page. One that looks through many threads says when it has not seen all. */
async function results({ market, signal, address }, asked) {
  const rows = make('ul', { className: 'rows' });
  const rest = make('div', { className: 'rest' });
  async function more(after) {
    const { threads, next } = await call(`threads?${new URLSearchParams({ marketId: market, limit: 25, ...asked, ...(after && { after }) })}`, { signal });
    rows.append(...list(threads).map((t) => row(t, address)));
    const narrow = asked.state || asked.channel;
    const none = asked.owner ? empty('Nobody found', 'Nobody like that has written in this market.') : next ? help('None among the latest thousand threads.') : empty('None', 'No thread is like that now.');
    async function onward() {
      try { await more(next); } catch (error) { rest.replaceChildren(trouble(error, onward)); }
    }
    rest.replaceChildren(...(rows.children.length ? [] : [none]), ...(next ? [button(narrow ? 'Look further back' : 'Show more', onward)] : []));
  }
  await more();
  return section('Found', help(asked.owner ? 'With those that the same person has linked.' : 'Conversations that began last are first.'), rows, rest);
}

function row(t, address) {
  return make('li', { className: 'row' },
    make('h3', {}, make('a', { href: address({ thread: t.threadId }), dir: 'auto' }, t.name || t.owner)),
    make('p', {}, who(t), ' ', stands(t), ` ${types[t.type] ?? t.type}${t.assistant ? ` with ${said(t.assistant)}` : ''} by ${channels[t.channel] ?? t.channel}`),
    make('p', { className: 'soft' }, 'Last message ', when(t.lastInboundAt)));
}

/** Where a thread stands, when something is open on it. */
const stands = (t) => (t.state === 'awaiting_confirmation' ? make('span', { className: 'status' }, 'Waits for YES or NO') : t.state === 'executing' ? make('span', { className: 'status', 'data-status': 'off' }, 'Answer in the making') : null);

const who = (t) => make('span', { className: 'status', 'data-status': t.handler === 'person' ? 'completed' : 'resolved' }, t.handler === 'person' ? 'A person answers' : 'Merve answers');

async function one(ctx) {
  const { query, signal, address } = ctx;
  const refresh = () => keeping(ctx.refresh);
  const id = query.get('thread');
  const at = path('threads', id);
  const [t, said_] = await Promise.all([call(at, { signal }), call(`${at}/messages?limit=100&before=latest`, { signal })]);
  const place = make('div', { className: 'answer' });
  const lines = make('ol', { className: 'lines', 'aria-label': 'Messages' });
  const rest = make('div', { className: 'rest' });
  fill(said_);

  /** Adds a page of messages before those that stand there, and the button for the one before it. */
  function fill({ messages, previous }) {
    lines.prepend(...list(messages).map(line));
    rest.replaceChildren(...(previous ? [button('Show earlier messages', async () => fill(await call(`${at}/messages?${new URLSearchParams({ limit: 100, before: previous })}`, { signal })))] : []));
  }

  const act = async (what, words) => {
    try {
      await call(`${at}/${what}`, { method: 'POST' });
      await refresh();
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  };
  const take = async () => {
    if (await confirm({ title: 'Take this thread over?', text: 'Merve is silent here until you hand it back. The customer is told that a person answers now.', yes: 'Take over' })) act('take', 'You have the thread. Merve is silent until you hand it back.');
  };
  const hand = async () => {
    if (await confirm({ title: 'Hand this thread back?', text: 'Merve answers here again. The customer is told.', yes: 'Hand back' }) && await mayLeave()) act('return', 'Merve answers again.');
  };
  const person = t.handler === 'person';
  return [
    heading(t.name || types[t.type] || 'Thread'), make('p', { className: 'back' }, make('a', { href: address() }, '← All threads')),
    make('div', { className: 'act' }, who(t), person ? button('Hand back to Merve…', hand) : button('Take over…', take, { main: true })), place,
    facts(['Who', types[t.type] ?? t.type], ['By', channels[t.channel] ?? t.channel], ['Where it stands', states[t.state] ?? said(t.state)], ['Language', t.language || 'Not known'], ['Last message', when(t.lastInboundAt)],
      t.pendingAction ? ['Offer that waits', make('bdi', {}, t.pendingAction.summary)] : null, t.optedOut ? ['Messages', 'The customer has said STOP'] : null, ['Number of the thread', make('code', {}, t.threadId)]),
    section('Messages', rest, lines), person ? reply(at, refresh) : help('Take the thread over to write to the customer.'),
    later('What was done in the background', async () => rounds(list((await call(`audit?${new URLSearchParams({ threadId: id, limit: 20 })}`, { signal })).rounds))),
    later('What was sent', async () => sentMessages(list((await call(`outbox?${new URLSearchParams({ threadId: id, limit: 50 })}`, { signal })).messages), { place, refresh }) ?? help('Nothing was sent by WhatsApp or Messenger.')),
  ];
}

const line = (m) => make('li', { className: `line ${m.direction}` }, make('p', { className: 'soft' }, m.direction === 'inbound' ? 'Customer' : 'Answer', ' · ', when(m.createdAt)),
  make('p', { className: 'bubble', dir: 'auto' }, m.text || (m.media?.length ? `${m.media.length} attachments` : '…'), m.cards?.length ? make('span', { className: 'soft' }, `\n${m.cards.map((c) => c.title).filter(Boolean).join(', ')}`) : ''));

/** Something that is read when it is opened. */
function later(title, read) {
  const body = make('div');
  const node = more(title, body);
  node.addEventListener('toggle', show, { once: true });
  async function show() {
    try { body.replaceChildren(await read()); } catch (error) { body.replaceChildren(trouble(error, show)); }
  }
  return node;
}

/** Reads the page anew, on which what is written to the customer stays. */
async function keeping(refresh) {
  const box = () => document.querySelector('.reply textarea');
  const written = box()?.value ?? '';
  await refresh();
  if (box()) box().value = written;
}

function reply(at, refresh) {
  const place = make('div');
  let message = {}; // the last that was tried: the same text again is the same message, and another is another
  const box = field('Your answer', (base) => make('textarea', { ...base, rows: 3, maxLength: 4000, dir: 'auto', required: true }), { note: 'The customer gets it as it stands here.', wide: true });
  const area = box.querySelector('textarea');
  watch(() => area.isConnected && area.value.trim() !== '');
  async function send(event) {
    event.preventDefault();
    if (area.readOnly) return;
    if (message.text !== area.value) message = { text: area.value, clientMessageId: crypto.randomUUID() };
    area.readOnly = true;
    try {
      await call(`${at}/messages`, { method: 'POST', body: message });
      message = {};
      area.value = '';
      await refresh();
      const words = 'Your answer is on its way.';
      document.querySelector('main h1')?.after(done(words, button('Look again', refresh)));
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
    } finally {
      area.readOnly = false;
    }
  }
  return make('form', { className: 'reply', onsubmit: send }, box, place, make('button', { className: 'main' }, 'Send'));
}
