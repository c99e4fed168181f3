// How things stand today: what waits for somebody, and volume and cost day by day.

import { call, list, path } from './api.js';
import { draw, empty, heading, help, make, section } from './dom.js';

export async function page({ market, signal, address }) {
  if (!market) return [heading('Overview'), empty('There is no market yet', 'Add the first one on the page ', make('a', { href: '/admin/market' }, 'Market'), '.')];
  const at = (...parts) => call(path('markets', market, ...parts), { signal });
  const [settings, days, waiting, alerts, unsent] = await Promise.all([at(), call(`${path('markets', market, 'days')}?days=30`, { signal }), at('waiting'), call('alerts?limit=50', { signal }), call('outbox?limit=20', { signal })]);
  const all = list(days.days);
  const today = all.at(-1) ?? { turns: 0, inbound: 0, outbound: 0, microUsd: 0 };
  const open = list(alerts.alerts).filter((a) => !a.acknowledgedBy);
  const waits = list(waiting.threads).filter((c) => !c.takenBy);
  return [
    heading(`${settings.name ?? market}: today`),
    settings.enabled === false ? make('p', { className: 'trouble' }, 'Merve is switched off in this market. ', make('a', { href: address({}, 'market') }, 'Switch it on')) : null,
    make('ul', { className: 'tiles' },
      tile(waits.length, 'threads wait for a person', address({}, 'threads'), waits.length > 0), tile(open.length, 'alerts to look at', address({}, 'alerts'), open.some((a) => a.severity !== 'WARNING')),
      tile(list(unsent.messages).length, 'messages not sent', address({}, 'outbox'), list(unsent.messages).length > 0), tile(today.inbound ?? 0, 'messages came in today'), tile(today.outbound ?? 0, 'answers went out today'), tile(usd(today.microUsd), 'spent on models today')),
    section('The last 30 days', help('Days are those of the universal time (UTC). The last minute of today may be missing.'),
      chart(all, 'Messages of customers', (d) => d.inbound ?? 0, String), chart(all, 'Cost of the models', (d) => d.microUsd ?? 0, usd)),
  ];
}

const usd = (micro) => new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD', maximumFractionDigits: micro && micro < 10_000 ? 4 : 2 }).format((micro ?? 0) / 1e6);

function tile(count, words, href, urgent = false) {
  const inside = [make('b', {}, String(count)), ' ', make('span', {}, words)];
  return make('li', { className: urgent ? 'tile urgent' : 'tile' }, href ? make('a', { href }, inside) : make('p', {}, inside));
}

const format = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Bars by day, with the numbers as a table for who wants to read them. */
function chart(days, title, of, words) {
  const [wide, high] = [600, 120];
  const top = Math.max(...days.map(of), 1);
  const step = wide / Math.max(days.length, 1);
  const sum = days.reduce((total, d) => total + of(d), 0);
  const bars = days.map((d, i) => {
    const h = Math.max(of(d) > 0 ? 2 : 0, (of(d) / top) * high);
    return draw('rect', { x: i * step + 1, y: high - h, width: Math.max(step - 2, 1), height: h, rx: 1.5 }, draw('title', {}, `${day(d)}: ${words(of(d))}`));
  });
  return make('figure', { className: 'chart' },
    make('figcaption', {}, make('b', {}, title), ` · ${words(sum)} in all, at most ${words(Math.max(...days.map(of), 0))} a day`),
    draw('svg', { viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}: ${words(sum)} in ${days.length} days` }, bars, draw('line', { x1: 0, x2: wide, y1: high, y2: high })),
    make('p', { className: 'ends' }, make('span', {}, days.length ? day(days[0]) : ''), make('span', {}, 'today')),
    make('details', {}, make('summary', {}, 'As a table'), make('div', { className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': title }, make('table', {}, make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Day'), make('th', { scope: 'col' }, title))),
      make('tbody', {}, days.toReversed().map((d) => make('tr', {}, make('td', {}, day(d)), make('td', {}, words(of(d))))))))));
}

const day = (d) => format.format(new Date(`${d.day}T00:00:00Z`));
