// What the assistants did in a thread: every tool they asked for, what the rules said, and what came of it.

import { call, list } from './api.js';
import { button, empty, heading, help, make, more, said, when } from './dom.js';
import { field, text } from './fields.js';
import { toolWord } from './words.js';

const verdicts = { allow: 'Allowed', confirm: 'Put to the customer', deny: 'Not allowed' };

export async function page({ query, signal, go, address }) {
  const thread = query.get('thread') ?? '';
  let wanted = thread;
  const rest = make('div', { className: 'rest' });
  const body = make('div');
  async function show(after) {
    const { rounds: found, next } = await call(`audit?${new URLSearchParams({ threadId: thread, limit: 50, ...(after && { after }) })}`, { signal });
    body.append(rounds(list(found)));
    rest.replaceChildren(...(next ? [button('Show earlier ones', () => show(next))] : []));
  }
  if (thread) await show();
  return [
    heading('Audit'), help('What Merve looked up, proposed and did in a thread, and under which version of the market’s settings.'),
    make('form', { className: 'act', onsubmit: (e) => { e.preventDefault(); go(address(wanted.trim() ? { thread: wanted.trim() } : {})); } },
      field('Number of the thread', text(thread, (v) => { wanted = v; }), { note: 'It stands on the page of the thread.' }), make('button', { className: 'main' }, 'Show')),
    thread ? body : null, rest,
  ];
}

/** Rounds of tool calls, latest first. */
export function rounds(all) {
  if (all.length === 0) return empty('Nothing', 'No tool was used.');
  return make('ol', { className: 'rows' }, all.map((r) => make('li', { className: 'row' },
    make('p', { className: 'soft' }, when(r.at), ` · answer ${r.turn}, settings of version ${r.policyVersion} · `, make('code', {}, r.traceId)),
    make('ul', {}, list(r.calls).map((c) => make('li', {}, make('b', {}, toolWord(c.tool)), ` · ${verdicts[c.verdict] ?? c.verdict} · ${said(c.status)} · ${c.ms} ms`,
      more('With what', make('pre', { className: 'code', dir: 'ltr', tabIndex: 0 }, c.args))))))));
}
