// What the checkers found: to be looked at, mended and put away.

import { call, list, path } from './api.js';
import { button, done, empty, heading, help, make, tell, trouble, when } from './dom.js';

const checks = {
  single_hold: 'Two people may have been promised the same', one_confirmed: 'A booking’s record is not complete', no_orphans: 'Something was held for nobody', row_stands: 'A booking was missing from its conversation', outbox: 'A message could not be sent',
  payment: 'A payment needs a look', stock: 'The count of an item is not right', stream: 'A change was not passed on',
};
const ofBookings = ['single_hold', 'one_confirmed', 'row_stands', 'payment'];
const severities = { CRITICAL: ['bad', 'Urgent'], ERROR: ['bad', 'Serious'], WARNING: ['pending', 'For information'] };

export async function page({ signal, refresh, market }) {
  const rows = make('ul', { className: 'rows' });
  const rest = make('div', { className: 'rest' });
  const place = make('div', { className: 'answer' });
  const act = (words, path_, after) => async () => {
    try {
      await call(path_, { method: 'POST' });
      await after?.();
      await refresh();
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
      place.scrollIntoView({ block: 'nearest' });
    }
  };
  async function check() {
    try {
      const { looked, healed, critical, error, warning } = await call('alerts/check', { method: 'POST' });
      await refresh();
      const words = `${looked} bookings were looked at: ${critical + error + warning} findings, ${healed} of them mended.`;
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (failure) {
      place.replaceChildren(trouble(failure));
    }
  }
  await more({ signal, act, market }, rows, rest);
  return [
    heading('Alerts'), help('Merve checks all by itself every few minutes whether what it has stored makes sense, and mends what can be mended. What a person should know stands here.'),
    make('div', { className: 'act' }, button('Check and mend now', check)), place,
    rows.children.length ? rows : empty('No alerts', 'Everything is as it should be.'), rest,
  ];
}

async function more(ctx, rows, rest, after) {
  const { alerts, next } = await call(`alerts?${new URLSearchParams({ limit: 50, ...(after && { after }) })}`, { signal: ctx.signal });
  rows.append(...list(alerts).map((a) => row(a, ctx)));
  async function onward() {
    try { await more(ctx, rows, rest, next); } catch (error) { rest.replaceChildren(trouble(error, onward)); }
  }
  rest.replaceChildren(...(next ? [button('Show more', onward)] : []));
}

function row(a, { act, market }) {
  const [state, word] = severities[a.severity] ?? ['pending', a.severity];
  const put = path('alerts', a.id, 'acknowledge');
  const [thread, message] = a.check === 'outbox' ? a.subject.split('/') : [];
  return make('li', { className: a.acknowledgedBy ? 'row past' : 'row' },
    make('div', { className: 'head' }, make('h2', {}, checks[a.check] ?? a.check), make('span', { className: 'status', 'data-status': a.acknowledgedBy ? 'off' : state }, a.acknowledgedBy ? 'Put away' : word), a.healed ? make('span', { className: 'status', 'data-status': 'resolved' }, 'Mended') : null),
    make('p', { dir: 'auto' }, a.message),
    make('p', { className: 'soft' }, 'About ', about(a, thread, market), a.seen > 1 ? `, seen ${a.seen} times, last ` : ', ', when(a.lastAt), a.acknowledgedBy ? [', put away by ', make('bdi', {}, a.acknowledgedBy)] : ''),
    a.acknowledgedBy ? null : make('div', { className: 'act' },
      message ? button('Send it again', act('The message will be sent again.', path('outbox', thread, message, 'send'), () => call(put, { method: 'POST' }))) : null,
      button('I have seen it', act('The alert is put away.', put), { 'aria-label': `I have seen it: ${checks[a.check] ?? a.check}` })));
}

function about({ check, subject }, thread, market) {
  if (thread) return make('a', { href: `/admin/threads?${new URLSearchParams({ ...(market && { marketId: market }), thread })}` }, 'this thread');
  if (!ofBookings.includes(check)) return make('code', {}, subject);
  return make('a', { href: `/admin/bookings?${new URLSearchParams({ booking: subject })}` }, 'this booking');
}
