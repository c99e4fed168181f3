// What the assistants may do in a market: a row for each tool.

import { call, list, path } from './api.js';
import { decimals } from './currencies.js';
import { button, confirm, empty, heading, help, make, more, section } from './dom.js';
import { edit } from './edit.js';
import { area, field, number, tick, words } from './fields.js';
import { source } from './market.js';
import { assistantWord, toolAbout, toolWord } from './words.js';

const effects = {
  read: 'Looks things up', propose: 'Asks the customer for YES', commit: 'Changes something',
};

export async function page({ market, signal }) {
  if (!market) return [heading('Tools'), empty('There is no market yet', 'Add one on the page Market.')];
  const { load, save } = source(market, signal);
  const [base, answer] = await Promise.all([load(), call(path('markets', market, 'tools'), { signal })]);
  const all = list(answer.tools);
  const editor = edit({
    base, load, save, what: 'market',
    view: (m, changed, { store }) => [allOff(m, all, store), ...groups(all).map(([title, tools]) => section(title, make('ul', { className: 'rows' }, tools.map((t) => row(m, t, changed)))))],
  });
  return [heading('Tools'), help('What the assistants may do in this market. A tool that is off does not exist for them: they say so, and do nothing.'), ...editor.nodes];
}

const groups = (all) => Object.entries(Object.groupBy(all, (t) => (t.assistants ?? []).map(assistantWord).join(' and ') || 'Nobody uses these'));

/** Switches all off at once, or back to their defaults. */
function allOff(m, all, store) {
  const off = all.length > 0 && all.every((t) => m.tools?.[t.name]?.enabled === false);
  async function turn() {
    const sure = await confirm({ title: 'Switch all tools off?', text: 'The assistants can only talk then: no search, no bookings, no orders. You can undo this with one click.', yes: 'Switch all off' });
    if (sure) await store({ ...m, tools: Object.fromEntries(all.map((t) => [t.name, { ...m.tools?.[t.name], enabled: false }])) }, 'All tools are switched off.');
  }
  return make('div', { className: 'act' }, off ? make('p', {}, 'All tools are switched off.') : button('Switch all off…', turn));
}

function row(m, t, changed) {
  const node = make('li', { className: 'row tool', 'data-path': `tools.${t.name}` });
  const change = (part) => {
    const own = { ...m.tools?.[t.name], ...part };
    for (const name of Object.keys(own)) if (own[name] === undefined || own[name] === '' || own[name]?.length === 0) delete own[name];
    m.tools = { ...m.tools, [t.name]: own };
    if (Object.keys(own).length === 0) delete m.tools[t.name];
    changed();
    state();
  };
  const listed = () => (m.safety.requireConfirmFor ?? []).includes(t.name);
  const unlist = () => { m.safety.requireConfirmFor = (m.safety.requireConfirmFor ?? []).filter((n) => n !== t.name); };
  const own = () => m.tools?.[t.name] ?? {};
  const word = toolWord(t.name);
  const mark = make('p', { className: 'help' });
  const reset = button('Reset to default', () => { unlist(); delete m.tools?.[t.name]; changed(); show(); }, { 'aria-label': `Reset to default: ${word}` });

  /** The bounds that this tool can have. */
  function bounds() {
    const set = (key) => (value) => {
      const all = { ...own().bounds, [key]: value };
      for (const name of Object.keys(all)) if (all[name] === null || all[name] === 0 || all[name].length === 0) delete all[name];
      change({ bounds: Object.keys(all).length > 0 ? all : undefined });
    };
    const made = {
      categories: (value, of) => field('Only these categories', words(value, set('categories')), { ...of, note: 'Such as restaurant, with commas between. Empty allows all.' }),
      maxPriceMinor: (value, of) => field(`Highest price (${m.currency})`, number(value, set('maxPriceMinor'), { scale: 10 ** decimals(m.currency) }), { ...of, note: 'Empty is any.' }),
      maxRadiusMeters: (value, of) => field('Farthest, in metres', number(value, set('maxRadiusMeters')), { ...of, note: 'From the customer, where that is known. Empty is anywhere.' }),
      maxPeople: (value, of) => field('Most people', number(value, set('maxPeople')), { ...of, note: 'Empty is any number.' }),
    };
    return (t.bounds ?? []).map((key) => made[key]?.(own().bounds?.[key], { path: `tools.${t.name}.bounds.${key}` }));
  }

  /** Says whether what is in force is the default, or is set here. */
  function state() {
    const set = own().enabled !== undefined || own().requireConfirmation !== undefined || listed() || Boolean(own().allowedTags?.length) || Boolean(own().bounds) || Boolean(own().template);
    mark.textContent = set ? 'Set here. ' : 'As by default. ';
    mark.append(make('span', { className: 'usual' }, `Default: on, ${t.confirmationFixed ? 'asks first' : 'does not ask'}.`));
    reset.hidden = !set;
  }

  function show() {
    node.replaceChildren(...[
      make('div', { className: 'head' }, make('h3', {}, word), make('span', { className: 'status', 'data-status': t.effect }, effects[t.effect] ?? t.effect)),
      make('p', {}, toolAbout(t.name, t.description)),
      make('div', { className: 'ticks' },
        tick('On', own().enabled ?? true, (on) => change({ enabled: on ? undefined : false }), { name: `${word}: on` }),
        t.confirmationFixed
          ? tick('Ask first', true, () => {}, { disabled: true, name: `${word}: ask first`, note: 'It always asks: this cannot be switched off.' })
          : tick('Ask first', listed() || Boolean(own().requireConfirmation), (on) => { unlist(); change({ requireConfirmation: on || undefined }); }, { name: `${word}: ask first` })),
      make('div', { className: 'act' }, reset, mark),
      more('More', make('div', { className: 'settings' },
        t.listings || own().allowedTags?.length ? field('Only for listings with these tags', words(own().allowedTags, (v) => change({ allowedTags: v })), { path: `tools.${t.name}.allowedTags`, note: 'With commas between. Empty allows all.' }) : null,
        ...bounds(),
        t.event || own().template ? field('What is sent first', area(own().template, (v) => change({ template: v })), { path: `tools.${t.name}.template`, note: 'Wording of the message that this sends, where neither the listing nor the page Messages has one. Usually empty.' }) : null),
      help('Name for developers: ', make('code', {}, t.name))),
    ]);
    state();
  }
  show();
  return node;
}
