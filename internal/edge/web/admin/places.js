// The places of a market that customers are shown the way to: where they are, when they are open, and
// which pharmacies are on duty.

import { Failure, call, everything, path, vocabulary } from './api.js';
import { button, help, make, section, tell } from './dom.js';
import { area, field, phone, text, tick, words } from './fields.js';
import { days, mark, readSpans, spans, weekly } from './hours.js';
import { items, noMarket } from './items.js';
import { position } from './position.js';

const PHARMACY = 'pharmacy';
const usual = ['pharmacy', 'hospital', 'beach', 'sight', 'museum', 'gas_station', 'supermarket', 'atm', 'restaurant', 'park'];

const nameOf = (p) => String(p.names?.en || Object.values(p.names ?? {})[0] || p.id);
const kind = (category) => String(category ?? '').replaceAll('_', ' ');

export async function page(ctx) {
  const { market, query } = ctx;
  if (!market) return noMarket('Places');
  const [settings, known] = query.has('place') ? await Promise.all([call(path('markets', market), { signal: ctx.signal }), vocabulary(ctx.signal)]) : [];
  const at = path('markets', market, 'places');
  let all = [];
  return items({
    word: 'place', many: 'places', at: (id) => path('markets', market, 'places', id), nameOf, row,
    read: async (signal) => { all = await everything(at, 'places', signal); return all; },
    find: (p) => [...Object.values(p.names ?? {}), p.id, kind(p.category), p.district, p.address, ...(p.tags ?? [])].join(' '), note: 'Name, category or district.',
    blank: { id: '', names: {}, descriptions: {}, category: '', location: null, hours: {}, onDuty: [], dutyWeekdays: [], version: 0 },
    stored, view: (p, changed) => view(p, { changed, settings, known, places: all }), gone: 'Customers do not find it any more.',
  }, ctx, help('Where Merve sends customers who ask what is nearby: beaches, sights, pharmacies. Nothing is booked here.'));
}

function row(p) {
  const hours = Object.values(p.hours ?? {}).some((s) => s?.length);
  return [
    make('p', {}, [kind(p.category), p.district].filter(Boolean).join(' · '), ' ', p.category === PHARMACY ? duty(p) : null),
    make('p', { className: 'soft' }, [p.address, p.phone, hours ? null : 'hours not known'].filter(Boolean).join(' · ')),
  ];
}

const today = () => new Date().toLocaleDateString('en-CA'); // as 2026-12-25, by the clock of who looks

/** Whether a pharmacy has turns to come. */
function duty(p) {
  const dates = (p.onDuty ?? []).filter((d) => d >= today()).sort();
  const weekly = (p.dutyWeekdays ?? []).map((d) => days[d] ?? d).join(', ');
  const next = dates.length ? `Next on duty ${date(dates[0])}` : weekly ? `On duty each ${weekly}` : 'No duty to come';
  return make('span', { className: 'status', 'data-status': dates.length || weekly ? 'resolved' : 'off' }, next);
}

const format = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const date = (d) => { const at = Date.parse(`${d}T00:00:00Z`); return Number.isFinite(at) ? format.format(at) : d; };

/** A place as it is stored: only pharmacies have turns. */
function stored({ onDuty, dutyWeekdays, duty: hours, ...p }) {
  if (!p.location) throw new Failure('refused', { detail: 'Say where it is first.', field: 'location' });
  return p.category === PHARMACY ? { ...p, onDuty, dutyWeekdays, ...(hours && { duty: hours }) } : p;
}

function view(p, { changed, settings, known, places }) {
  const set = (name) => (v) => { p[name] = v; if (v === '') delete p[name]; changed(); };
  p.names ??= {};
  p.descriptions ??= {};
  p.hours ??= {};
  const languages = [...new Set([...settings.languages, ...Object.keys(p.names), ...Object.keys(p.descriptions)])];
  const word = Object.fromEntries(known.languages.map(({ tag, name }) => [tag, name]));
  const turns = section('Turns of duty', help('Customers who ask for a pharmacy at night are sent to the one on duty. Without any turn here, Merve says that it does not know.'), dutyOf(p, changed));
  const show = () => { turns.hidden = p.category !== PHARMACY; };
  show();
  return [
    section('What it is called', languages.map((tag) => make('fieldset', {}, make('legend', {}, word[tag] ?? tag),
      field('Name', text(p.names[tag], (v) => { p.names[tag] = v; if (!v) delete p.names[tag]; changed(); }, { lang: tag }), { path: `names.${tag}`, wide: true }),
      field('Description', area(p.descriptions[tag], (v) => { p.descriptions[tag] = v; if (!v) delete p.descriptions[tag]; changed(); }, { lang: tag }), { path: `descriptions.${tag}`, wide: true })))),
    section('What it is', make('div', { className: 'settings' },
      field('Category', choice(kind(p.category), [...usual, ...places.map((o) => o.category)].map(kind), (v) => { set('category')(v.trim().toLowerCase().replace(/\s+/g, '_')); show(); }), { path: 'category', note: 'In English, such as pharmacy, beach or gas station. What a customer looks for is found by it.' }),
      field('District', choice(p.district, (settings.districts ?? []).map((d) => d.name), set('district')), { path: 'district', note: 'Town or part of one.' }),
      field('Tags', words(p.tags, set('tags')), { path: 'tags', note: 'Other words by which it is looked for, with commas between.' }),
      field('Telephone', phone(p.phone, set('phone')), { path: 'phone', note: 'With country code, such as +905331234567.' }),
      field('Picture', text(p.image, (v) => set('image')(v.trim()), { type: 'url' }), { path: 'image', note: 'The address of a picture, which begins with https://.' }))),
    section('Where it is', position(p, changed), make('div', { className: 'settings' }, field('Address', text(p.address, set('address')), { path: 'address', wide: true }))),
    turns,
    section('Opening hours', help('Such as 12:00–15:00, 18:00–23:00. With all days empty, the hours are not known; an empty day beside others is closed.'), make('div', { className: 'settings', 'data-path': 'hours' },
      weekly(p, 'hours', { changed, path: 'hours', none: Object.keys(p.hours).length ? 'closed' : 'not known' }))),
  ];
}

let lists = 0;

/** A text with words to choose from. */
function choice(value, all, set) {
  lists += 1;
  const id = `choices-${lists}`;
  return (base) => {
    const input = text(value, set)(base);
    input.setAttribute('list', id);
    return [input, make('datalist', { id }, [...new Set(all)].filter(Boolean).sort().map((v) => make('option', { value: v })))];
  };
}

/** When a pharmacy is on duty: weekdays, single dates, and from when to when. */
function dutyOf(p, changed) {
  const rows = make('ul', { className: 'chips', 'aria-label': 'Dates on duty' });
  const past = make('div');
  const show = () => {
    const all = [...(p.onDuty ?? [])].sort();
    const gone = all.filter((d) => d < today()).length;
    rows.replaceChildren(...all.slice(gone).map((d) => make('li', {}, button(`${date(d)} ✕`, () => { p.onDuty = p.onDuty.filter((o) => o !== d); changed(); show(); }, { className: 'chip day', 'aria-label': `Remove ${date(d)}` }))));
    past.replaceChildren(...(gone ? [button(gone === 1 ? 'Remove one date that is over' : `Remove ${gone} dates that are over`, () => { p.onDuty = p.onDuty.filter((d) => d >= today()); changed(); show(); })] : []));
  };
  let wanted = '';
  const add = () => {
    if (!/^\d{4}-\d\d-\d\d$/.test(wanted) || (p.onDuty ?? []).includes(wanted)) return;
    p.onDuty = [...(p.onDuty ?? []), wanted].sort();
    changed();
    show();
    tell(`${date(wanted)} is added.`);
  };
  show();
  const weekly = Object.entries(days).map(([day, name]) => tick(name, (p.dutyWeekdays ?? []).includes(day), (on) => {
    const chosen = new Set(p.dutyWeekdays ?? []);
    if (on) chosen.add(day); else chosen.delete(day);
    p.dutyWeekdays = Object.keys(days).filter((d) => chosen.has(d));
    changed();
  }));
  const hours = field('From and until', text(p.duty ? spans([p.duty]) : '', (v) => {
    const read = readSpans(v);
    if (!mark(hours, read !== null && read.length <= 1)) return;
    [p.duty] = read;
    if (!p.duty) delete p.duty;
    changed();
  }, { placeholder: '08:00–08:00' }), { path: 'duty', note: 'Until the next day when the second time is not later. Empty is from 8 in the morning until 8 the next day.' });
  return make('div', {},
    make('div', { 'data-path': 'onDuty' }, make('div', { className: 'act' }, field('Date on duty', (base) => make('input', { type: 'date', oninput: (e) => { wanted = e.target.value; }, ...base })), button('Add this date', add)), rows, past),
    make('fieldset', { 'data-path': 'dutyWeekdays' }, make('legend', {}, 'Every week on'), make('div', { className: 'ticks' }, weekly)),
    make('div', { className: 'settings' }, hours));
}
