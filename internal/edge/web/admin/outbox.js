// Messages that could not be sent, to be sent again; and all those of one thread.

import { call, list, path } from './api.js';
import { button, done, empty, heading, help, make, said, tell, trouble, when } from './dom.js';
import { field, text } from './fields.js';

const states = { queued: 'Waits', sending: 'Is being sent', sent: 'Sent', failed: 'Not sent', delivered: 'Delivered', read: 'Read' };

export async function page({ query, signal, refresh, go, address }) {
  const thread = query.get('thread') ?? '';
  const all = list((await call(`outbox?${new URLSearchParams({ limit: 50, ...(thread && { threadId: thread }) })}`, { signal })).messages);
  const place = make('div', { className: 'answer' });
  let wanted = thread;
  return [
    heading('Outbox'), help(thread ? 'All messages of this thread, newest first.' : 'Messages that could not be sent, for good. Mend the cause, then send them again.'), place,
    make('form', { className: 'act', onsubmit: (e) => { e.preventDefault(); go(address(wanted.trim() ? { thread: wanted.trim() } : {})); } },
      field('Messages of a thread', text(thread, (v) => { wanted = v; }), { note: 'Its number, as it stands on the page of the thread. Empty shows what was not sent.' }), make('button', { className: 'plain' }, 'Show')),
    messages(all, { place, refresh }) ?? empty(thread ? 'No messages' : 'Nothing is left unsent', thread ? 'Nothing was sent there by WhatsApp or Messenger.' : 'Every message has gone out.'),
  ];
}

/** Messages with what became of them; null when there are none. */
export function messages(all, { place, refresh }) {
  if (all.length === 0) return null;
  const again = (m) => async () => {
    try {
      await call(path('outbox', m.threadId, m.id, 'send'), { method: 'POST' });
      await refresh();
      document.querySelector('main h1')?.after(done('The message will be sent again.'));
      tell('The message will be sent again.');
    } catch (error) {
      place.replaceChildren(trouble(error));
      place.scrollIntoView({ block: 'nearest' });
    }
  };
  return make('ul', { className: 'rows' }, all.map((m) => make('li', { className: 'row' },
    make('div', { className: 'head' }, make('p', {}, 'To ', make('bdi', {}, m.to), ` by ${said(m.channel)}`), make('span', { className: 'status', 'data-status': m.status === 'failed' ? 'bad' : ['delivered', 'read', 'sent'].includes(m.status) ? 'resolved' : 'pending' }, states[m.status] ?? said(m.status))),
    make('p', { className: 'bubble', dir: 'auto' }, m.text),
    make('p', { className: 'soft' }, when(m.createdAt), m.attempts > 1 ? `, tried ${m.attempts} times` : '', m.error ? [' · ', make('bdi', {}, m.error)] : ''),
    m.status === 'failed' ? button('Send again', again(m), { 'aria-label': `Send again to ${m.to}` }) : null)));
}
