// A market's settings: what it is, how it talks, and its bounds.

import { call, list, path, vocabulary } from './api.js';
import { button, confirm, empty, heading, help, make, more, section, tell, trouble } from './dom.js';
import { edit } from './edit.js';
import { field, group, number, optional, select, text, tick, words } from './fields.js';
import { everyDay, weekly } from './hours.js';
import { bounds, toolWord } from './words.js';

/** Reads and saves a market: what other pages of settings need of it. */
export function source(market, signal) {
  return {
    load: () => call(path('markets', market), { signal }),
    save: (m) => call(path('markets', market), { method: 'PUT', body: m }),
  };
}

export async function page(ctx) {
  const { market, signal } = ctx;
  if (!market) return [heading('Market'), empty('There is no market yet', 'Add the first one here.'), adding(ctx)];
  const { load, save } = source(market, signal);
  const [base, known, { tools }] = await Promise.all([load(), vocabulary(signal), call(path('markets', market, 'tools'), { signal })]);
  const others = await othersOn(ctx);
  const title = heading(base.name);
  const editor = edit({
    base, load, save, what: 'market', saved: (m) => { title.textContent = m.name; },
    view: (draft, changed, { store }) => settings(draft, changed, { known, tools: list(tools), others, store, editor: () => editor }),
  });
  return [title, help('What this market is and how Merve behaves in it. Nothing changes before you save, and whatever you save can be undone.'), ...editor.nodes, adding(ctx)];
}

/** How many other markets are switched on. */
async function othersOn({ markets, market, signal }) {
  const all = await Promise.all(markets.filter((id) => id !== market).slice(0, 20).map((id) => call(path('markets', id), { signal }).catch(() => ({}))));
  return all.filter((m) => m.enabled).length;
}

function settings(m, changed, { known, tools, others, store, editor }) {
  const set = (name) => (v) => { m[name] = v; changed(); };
  const usual = known.defaults;
  return [
    switching(m, others, store, editor),
    section('What it is', make('div', { className: 'settings' },
      field('Name', text(m.name, set('name')), { path: 'name', note: 'Customers are welcomed in its name.' }),
      field('Time zone', text(m.timeZone, set('timeZone')), { path: 'timeZone', note: 'Such as Europe/Nicosia. Times in answers are of this zone.' }),
      field('Currency', text(m.currency, (v) => set('currency')(v.toUpperCase()), { maxLength: 3 }), { path: 'currency', note: 'Its three letters, such as EUR.' }),
      field('WhatsApp number', text(m.whatsapp?.from, (v) => { m.whatsapp = { ...m.whatsapp, from: v }; changed(); }, { type: 'tel' }), { path: 'whatsapp.from', note: 'The market’s own number with country code, such as +905331234567. Empty uses the account’s number.' }))),
    section('Languages', languages(m, changed, known)),
    section('How it talks',
      group('While an offer waits for YES or NO, and the customer writes something else',
        ...[['remind', 'Remind only', 'Merve repeats the offer and asks for YES or NO. The safest choice.'],
          ['converse', 'Answer, then remind', 'Merve answers a question such as “is there parking?”, then asks again. It may also propose something else, which takes the place of what waited.']].map(([key, word, note]) => radio('gate', key, m.gate === key, word, note, () => set('gate')(key)))),
      make('div', { className: 'settings' },
        field('Wait for more messages', number(m.quietMs, set('quietMs'), { scale: 1000, min: 0, max: 10, className: 'number' }), {
          path: 'quietMs', note: 'On WhatsApp and Messenger people write several messages in a row. Merve waits this many seconds for the next one before it answers them all.', usual: `${usual.quietMs / 1000} seconds`,
        }))),
    section('Who may book', tick('Only customers with a name and a number', m.requireContact, (on) => { m.requireContact = on; changed(); }, {
      note: 'Before something is held or ordered, Merve asks for the customer’s name and phone number and tells them to the business. A listing can want them for itself.',
    })),
    section('When a customer asks for a person', make('div', { className: 'settings' },
      field('Who is told on WhatsApp', words(m.desk?.numbers, (v) => { m.desk = { ...m.desk, numbers: v.map((n) => n.replace(/[\s()-]/g, '')) }; changed(); }, { type: 'tel' }), {
        path: 'desk.numbers', note: 'Numbers with country code and commas between, at most 10. Empty tells nobody: then look at the page Threads.',
      }),
      field('Telephone of the desk', text(m.desk?.phone, (v) => { m.desk = { ...m.desk, phone: v.replace(/[\s()-]/g, '') }; changed(); }, { type: 'tel' }), {
        path: 'desk.phone', note: 'With country code. When a customer has agreed to a call, this telephone rings first and is then connected with them on WhatsApp. Empty calls nobody.',
      })), hours(m, changed)),
    section('Always ask first', help('The customer is asked for YES before any of these is done. Tools that change something ask anyway.'),
      more('Choose the tools', make('div', { className: 'ticks' }, tools.filter((t) => !t.confirmationFixed).map((t) => tick(toolWord(t.name), (m.safety.requireConfirmFor ?? []).includes(t.name), (on) => {
        const names = (m.safety.requireConfirmFor ?? []).filter((n) => n !== t.name);
        m.safety.requireConfirmFor = on ? [...names, t.name] : names;
        changed();
      }))))),
    section('Safety bounds', help('They keep a mistake small. Where one is reached, the customer gets a polite answer and nothing is done.'),
      make('div', { className: 'settings' }, Object.entries(bounds).map(([name, b]) => field(`${b.word} (${b.unit})`, number(m.safety[name], (v) => { m.safety[name] = v; changed(); }, {
        scale: b.scale ?? 1, min: b.low / (b.scale ?? 1), max: b.high / (b.scale ?? 1),
      }), { path: `safety.${name}`, note: b.help, usual: `${usual.safety[name] / (b.scale ?? 1)} ${b.unit}` })))),
    section('Area and districts', within(m, changed), districts(m, changed)),
  ];
}

function radio(name, key, on, word, note, choose) {
  const id = `${name}-${key}`;
  return make('div', { className: 'tick', 'data-path': name },
    make('input', { type: 'radio', name, id, value: key, checked: on, onchange: choose, 'aria-describedby': `${id}-note` }),
    make('label', { htmlFor: id }, word), make('p', { className: 'help', id: `${id}-note` }, note));
}

/** Switches the market on or off at once; never the last one that is on. */
function switching(m, others, store, editor) {
  const state = make('span', { className: 'status', 'data-status': m.enabled ? 'resolved' : 'off' }, m.enabled ? 'On' : 'Off');
  async function turn() {
    const sure = !m.enabled || await confirm({
      title: `Switch ${m.name} off?`, text: 'Customers of this market get no answers from Merve until it is switched on again. You can undo this with one click.', yes: 'Switch off',
    });
    if (sure) await store({ ...editor().stored(), enabled: !m.enabled }, m.enabled ? `${m.name} is switched off.` : `${m.name} is switched on.`);
  }
  const last = m.enabled && others === 0;
  return make('div', { className: 'act' }, make('p', {}, 'Merve is ', state, ' in this market.'),
    last ? make('p', { className: 'help' }, 'It cannot be switched off here, as it is the only market that is on.')
      : button(m.enabled ? 'Switch off…' : 'Switch on', turn));
}

function languages(m, changed, known) {
  const first = field('First language', select(m.language, known.languages.filter(({ tag }) => m.languages.includes(tag)).map(({ tag, name }) => [tag, name]), (v) => { m.language = v; changed(); }), { path: 'language', note: 'Used where nothing is known of the customer’s own.' });
  return [make('div', { className: 'settings' }, first),
    group('Languages served', make('div', { className: 'ticks' }, known.languages.map(({ tag, name }) => tick(name, m.languages.includes(tag), (on) => {
      m.languages = known.languages.map((l) => l.tag).filter((t) => (t === tag ? on : m.languages.includes(t)));
      const options = first.querySelector('select');
      options.replaceChildren(...known.languages.filter((l) => m.languages.includes(l.tag)).map((l) => make('option', { value: l.tag, selected: l.tag === m.language }, l.name)));
      changed();
    }, { disabled: tag === m.language, path: 'languages', note: tag === m.language ? 'The first language.' : '' }))))];
}

const within = (m, changed) => optional('Search the map only within an area', Boolean(m.bounds), {
  path: 'bounds', note: 'Places outside it are not shown to customers.',
  set: (on) => { m.bounds = on ? { west: 32, south: 34.5, east: 34.7, north: 35.8 } : null; changed(); },
  controls: () => [['north', 'North'], ['south', 'South'], ['west', 'West'], ['east', 'East']].map(([side, word]) => (
    field(`${word} (degrees)`, number(m.bounds[side], (v) => { m.bounds[side] = v; changed(); }), { path: `bounds.${side}` }))),
});

/** When somebody is there for customers who ask for a person. */
const hours = (m, changed) => optional('Only at certain hours', Boolean(m.desk?.hours), {
  path: 'hours', note: 'Outside them customers are told when somebody is there again.',
  set: (on) => { m.desk = { ...m.desk, hours: on ? { timeZone: m.timeZone, days: everyDay() } : null }; changed(); },
  controls: () => weekly(m.desk.hours, 'days', { changed, none: 'nobody there' }),
});

function districts(m, changed) {
  const rows = make('div', { className: 'rows', 'data-path': 'districts' });
  function show() {
    rows.replaceChildren(...(m.districts ?? []).map((d, i) => make('details', { className: 'row' }, make('summary', {}, d.name || 'New district'), make('div', { className: 'settings' },
      field('Name', text(d.name, (v) => { d.name = v; changed(); }), {}),
      field('Other names', words(d.also, (v) => { d.also = v; changed(); }), { note: 'With commas between, such as Girne, Keryneia.' }),
      field('Next to it', words(d.neighbours, (v) => { d.neighbours = v; changed(); }), { note: 'Districts whose drivers are asked when nobody here answers. Empty means all.' }),
      field('Latitude of its centre', number(d.center?.lat, (v) => { d.center = { ...d.center, lat: v }; changed(); })),
      field('Longitude of its centre', number(d.center?.lng, (v) => { d.center = { ...d.center, lng: v }; changed(); })),
      button(`Remove ${d.name || 'it'}`, () => { m.districts.splice(i, 1); changed(); show(); })))));
  }
  show();
  return make('div', {}, make('h3', {}, 'Districts'), help('The parts of the market that drivers and businesses serve.'), rows, button('Add a district', () => {
    m.districts = [...(m.districts ?? []), { name: '' }];
    changed();
    show();
    rows.lastChild.open = true;
    rows.lastChild.querySelector('input').focus();
  }));
}

/** Adds another market. */
function adding({ go, readMarkets }) {
  const made = { id: '', name: '' };
  const place = make('div');
  async function add() {
    try {
      await call(path('markets', made.id), { method: 'PUT', body: { name: made.name, enabled: false } });
      readMarkets();
      await go(`/admin/market?${new URLSearchParams({ marketId: made.id })}`);
      tell(`${made.name} is added, and switched off.`);
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return more('Add another market', place, make('div', { className: 'settings' },
    field('Name', text('', (v) => { made.name = v; }), {}),
    field('Short name', text('', (v) => { made.id = v.trim(); }), { note: 'Small letters, digits and dashes, such as girne. It cannot be changed later.' })),
  help('It starts switched off, with the default for every setting.'), button('Add it', add, { main: true }));
}
