// The places of a market that customers are shown the way to: where they are, when they are open, and
// which pharmacies are on duty.

import { Failure, call, everything, path, vocabulary } from './api.js';
import { button, confirm, done, empty, heading, help, make, outward, section, tell, trouble } from './dom.js';
import { edit, shortName } from './edit.js';
import { area, field, text, tick, words } from './fields.js';
import { days, mark, readSpans, spans, weekly } from './hours.js';

const PHARMACY = 'pharmacy';
const usual = ['pharmacy', 'hospital', 'beach', 'sight', 'museum', 'gas_station', 'supermarket', 'atm', 'restaurant', 'park'];

const nameOf = (p) => String(p.names?.en || Object.values(p.names ?? {})[0] || p.id);
const kind = (category) => String(category ?? '').replaceAll('_', ' ');

export async function page(ctx) {
  const { market, signal, query, address } = ctx;
  if (!market) return [heading('Places'), empty('There is no market yet', 'Add one on the page Market.')];
  const places = (await everything(path('markets', market, 'places'), 'places', signal)).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  if (query.has('place')) return one(ctx, places);
  const rows = make('ul', { className: 'rows' });
  const count = make('p', { className: 'help', role: 'status' });
  const show = (wanted) => {
    const found = places.filter((p) => fits(p, wanted));
    rows.replaceChildren(...found.slice(0, 200).map((p) => row(p, address)));
    count.textContent = found.length === places.length ? (places.length === 1 ? '1 place' : `${places.length} places`) : `${found.length} of ${places.length} places`;
  };
  show('');
  return [
    heading('Places'), help('Where Merve sends customers who ask what is nearby: beaches, sights, pharmacies. Nothing is booked here.'),
    make('div', { className: 'act' }, make('a', { className: 'button', href: address({ place: '' }) }, 'Add a place')),
    places.length ? field('Search', (base) => make('input', { type: 'search', oninput: (e) => show(e.target.value), ...base }), { note: 'Name, category or district.' }) : null,
    places.length ? count : empty('No places yet', 'Add the first one.'), rows,
  ];
}

function fits(p, wanted) {
  const has = [...Object.values(p.names ?? {}), p.id, kind(p.category), p.district, p.address, ...(p.tags ?? [])].join(' ').toLocaleLowerCase();
  return wanted.toLocaleLowerCase().split(/\s+/).every((word) => has.includes(word));
}

function row(p, address) {
  const hours = Object.values(p.hours ?? {}).some((s) => s?.length);
  return make('li', { className: 'row' },
    make('h2', {}, make('a', { href: address({ place: p.id }), dir: 'auto' }, nameOf(p))),
    make('p', {}, [kind(p.category), p.district].filter(Boolean).join(' · '), ' ', p.category === PHARMACY ? duty(p) : null),
    make('p', { className: 'soft' }, [p.address, p.phone, hours ? null : 'hours not known'].filter(Boolean).join(' · ')));
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

async function one(ctx, places) {
  const { market, query, signal, address, go } = ctx;
  const id = query.get('place');
  const [settings, known] = await Promise.all([call(path('markets', market), { signal }), vocabulary(signal)]);
  const base = places.find((p) => p.id === id) ?? { id: '', names: {}, descriptions: {}, category: '', location: null, hours: {}, onDuty: [], dutyWeekdays: [], version: 0 };
  const fresh = !base.id;
  if (id && fresh) return [heading('There is no such place'), make('p', {}, make('a', { href: address() }, '← All places'))];
  const title = heading(fresh ? 'New place' : nameOf(base));
  const editor = edit({
    base, what: 'place',
    load: async () => (await everything(path('markets', market, 'places'), 'places', signal)).find((p) => p.id === base.id) ?? base,
    save: (p) => {
      if (!p.location) throw new Failure('refused', { detail: 'Say where it is first.', field: 'location' });
      return call(path('markets', market, 'places', p.id || shortName(nameOf(p), places, 'place')), { method: 'PUT', body: stored(p) });
    },
    saved: (p) => {
      title.textContent = nameOf(p);
      if (fresh) setTimeout(() => go(address({ place: p.id }), { replace: true, keep: false }).then(() => document.querySelector('main h1')?.after(done(`${nameOf(p)} is added.`))));
    },
    view: (p, changed) => view(p, { changed, settings, known, places }),
  });
  const place = make('div');
  async function remove() {
    if (!await confirm({ title: `Take ${nameOf(base)} away?`, text: 'Customers do not find it any more.', yes: 'Take away' })) return;
    try {
      await call(path('markets', market, 'places', base.id), { method: 'DELETE' });
      await go(address(), { keep: false });
      const words = `${nameOf(base)} is taken away.`;
      const back = button('Undo', async () => {
        const { version, ...rest } = base;
        await call(path('markets', market, 'places', base.id), { method: 'PUT', body: rest });
        await go(address({ place: base.id }));
      });
      document.querySelector('main h1')?.after(done(words, back));
      tell(words);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return [title, make('p', { className: 'back' }, make('a', { href: address() }, '← All places')), ...editor.nodes,
    fresh ? null : make('div', { className: 'danger' }, place, button('Take this place away…', remove))];
}

/** A place as it is stored: only pharmacies have turns. */
function stored({ onDuty, dutyWeekdays, duty: hours, ...p }) {
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
      field('Telephone', text(p.phone, (v) => set('phone')(v.replace(/[\s()-]/g, '')), { type: 'tel' }), { path: 'phone', note: 'With country code, such as +905331234567.' }),
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

/** Where a place is, as a map gives it: two numbers with a comma between. */
function position(p, changed) {
  const seen = make('p', { className: 'act' });
  const show = () => seen.replaceChildren(...(p.location ? [outward(`https://www.openstreetmap.org/?mlat=${p.location.lat}&mlon=${p.location.lng}#map=17/${p.location.lat}/${p.location.lng}`, 'Look at it on the map')] : []));
  const node = field('Position', text(p.location ? `${p.location.lat}, ${p.location.lng}` : '', (v) => {
    const at = readPosition(v);
    if (!mark(node, at !== null || v.trim() === '')) return;
    p.location = at && { ...p.location, ...at };
    changed();
    show();
  }, { inputMode: 'text', dir: 'ltr' }), { path: 'location', note: 'Latitude and longitude, such as 35.3417, 33.3192. In most maps: press long or right-click on the spot, and copy the two numbers.' });
  show();
  return make('div', {}, node, seen);
}

/** Reads "35.3417, 33.3192"; null when it is no place on earth. */
function readPosition(s) {
  const m = /^\s*\(?\s*(-?\d{1,2}(?:\.\d+)?)°?\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)°?\s*\)?\s*$/.exec(s);
  if (!m) return null;
  const [lat, lng] = [Number(m[1]), Number(m[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
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
