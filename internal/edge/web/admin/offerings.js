// What can be booked at a listing: its calendar, its price, what is paid ahead, and what becomes of
// that when somebody cancels late or does not come.

import { button, help, make, more } from './dom.js';
import { amount, field, group, numeric, optional, select, text } from './fields.js';
import { closedDates, weekly } from './hours.js';

const units = [['slot', 'A time of day, such as a table'], ['night', 'Nights, such as a room']];
const prices = { slot: [['booking', 'Booking'], ['person', 'Person']], night: [['night', 'Night'], ['person', 'Person and night'], ['booking', 'Booking']] };

/** The offerings of a listing: a node, and a function that shows them as they are now. */
export function offerings(l, { changed, settings }) {
  const rows = make('ul', { className: 'rows offerings', 'data-path': 'offerings' });
  const show = () => rows.replaceChildren(...(l.offerings ?? []).map((o, i) => row(o, {
    changed, path: `offerings[${i}]`, show,
    remove: () => { l.offerings.splice(i, 1); changed(); show(); },
  })));
  show();
  const add = button('Add something to book', () => {
    const all = l.offerings ?? [];
    l.offerings = [...all, {
      id: '', name: '', timeZone: l.hours?.timeZone || settings.timeZone, currency: settings.currency, unit: 'slot', per: 'booking', priceMinor: 0,
      hours: structuredClone(l.hours?.days ?? {}), slotMinutes: 30, durationMinutes: 60, capacity: 1, leadMinutes: 60, horizonDays: 60, minParty: 1, maxParty: 10,
    }];
    changed();
    show();
    rows.lastChild.querySelector('input').focus();
  });
  return { node: make('div', {}, rows, add), show };
}

/**
 * The listing with ids for what was added to it. Equal ids at one business are one thing to book,
 * whatever listing they are at: so that two listings do not share one unasked, they are named after
 * theirs. What is booked by nights is never what is booked by the time of day.
 */
export function named(l) {
  const used = new Set(l.offerings?.map((o) => o.id));
  const unused = (unit, n) => {
    const id = `${l.id.slice(0, 50)}-${unit === 'night' ? 'nights' : 'booking'}${n > 1 ? `-${n}` : ''}`;
    return used.has(id) ? unused(unit, n + 1) : id;
  };
  return { ...l, offerings: l.offerings?.map((o) => {
    const id = o.id || unused(o.unit, 1);
    used.add(id);
    return { ...o, id };
  }) };
}

const nameOf = (o) => o.name || o.id || 'New';

function row(o, ctx) {
  const { changed, path, show, remove } = ctx;
  const at = (name) => `${path}.${name}`;
  const whole = numeric(o, ctx);
  const nights = o.unit === 'night';
  const title = make('h3', { dir: 'auto' }, nameOf(o));
  const clock = (word, name, usual) => field(word, text(o[name], (v) => { o[name] = v.trim(); if (!o[name]) delete o[name]; changed(); }, { placeholder: usual }), { path: at(name) });
  return make('li', { className: 'row', 'data-path': path }, title,
    make('div', { className: 'settings' },
      field('Called', text(o.name, (v) => { o.name = v; title.textContent = nameOf(o); changed(); }), { path: at('name'), note: 'As customers are told, such as Table.' }),
      field('Booked by', select(o.unit, units, (v) => {
        o.unit = v;
        if (!prices[v].some(([per]) => per === o.per)) o.per = 'booking';
        changed();
        show();
      }), { path: at('unit') }),
      amount(o, ctx, o.currency)('Price', 'priceMinor', { note: '0 costs nothing.' }),
      field('The price is for one', select(o.per, prices[o.unit] ?? prices.slot, (v) => { o.per = v; changed(); }), { path: at('per') }),
      whole('At the same time', 'capacity', { note: 'So many bookings there is room for: tables, rooms, places.' }),
      whole('People at least', 'minParty'), whole('People at most', 'maxParty')),
    more('Calendar', make('div', { className: 'settings' },
      nights ? [clock('Arrival from', 'checkIn', '15:00'), clock('Departure until', 'checkOut', '11:00')]
        : [whole('A booking can begin every (minutes)', 'slotMinutes'), whole('It lasts (minutes)', 'durationMinutes')],
      whole('Booked ahead at least (hours)', 'leadMinutes', {}, 60), whole('Booked ahead at most (days)', 'horizonDays'),
      weekly(o, 'hours', { changed, path: at('hours'), none: nights ? 'no arrivals' : 'closed' }), closedDates(o, changed)),
    help(nights ? 'On these days guests can arrive, as 00:00–24:00. Nothing at all is every day.' : 'Such as 12:00–15:00, 18:00–23:00. An empty day is closed.')),
    more('Paying ahead and cancelling', paying(o, ctx)),
    more('Who does not come', missing(o, ctx)),
    make('div', { className: 'act' }, button('Remove', remove, { 'aria-label': `Remove ${nameOf(o)}` }), help('Bookings that stand are not touched.')));
}

/** The controls of a deposit. */
function deposit(d, currency, ctx) {
  const part = numeric(d, ctx);
  return [
    part('Share of the price (%)', 'percentOfPrice', { note: '100 is all of it.' }), amount(d, ctx, currency)('But at least', 'minMinor'),
    part('Cancelled for nothing until (hours before)', 'refundUntilHours', { note: '0: until it begins.' }),
    part('Given back later than that (%)', 'lateRefundPercent', { note: 'Of what was paid ahead; and to who does not come. 0: all of it is kept.' }),
  ];
}

function paying(o, { changed, path: above }) {
  const path = `${above}.deposit`;
  return optional('Something is paid ahead', Boolean(o.deposit), {
    path, name: `${nameOf(o)}: something is paid ahead`, note: 'A booking counts when it is paid. Customers are told the rule before they say YES.',
    set: (on) => {
      if (on) o.deposit = { percentOfPrice: 20, minMinor: 0, refundUntilHours: 24 };
      else delete o.deposit;
      changed();
    },
    controls: () => deposit(o.deposit, o.currency, { changed, path }),
  });
}

function missing(o, { changed, path: above }) {
  const path = `${above}.noShows`;
  return optional('There is a rule for who did not come before', Boolean(o.noShows), {
    path, name: `${nameOf(o)}: there is a rule for who did not come before`,
    set: (on) => {
      if (on) o.noShows = { count: 2, days: 90 };
      else delete o.noShows;
      changed();
    },
    controls: (show) => {
      const n = o.noShows;
      const part = numeric(n, { changed, path });
      return [part('Who missed this many bookings', 'count'), part('in the last (days)', 'days'),
        field('books next time', select(n.deposit ? 'pay' : 'person', [['person', 'Only through your people'], ['pay', 'By paying ahead']], (v) => {
          if (v === 'pay') n.deposit = { percentOfPrice: 50, minMinor: 0 };
          else delete n.deposit;
          changed();
          show();
        }), { path }),
        ...(n.deposit ? [group('What they pay ahead', make('div', { className: 'settings' }, ...deposit(n.deposit, o.currency, { changed, path: `${path}.deposit` })))] : [])];
    },
  });
}
