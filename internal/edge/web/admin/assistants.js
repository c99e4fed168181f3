// How the assistants sound in a market. What they may do, how customers are verified and what tools take is shown
// beside it, and is the product's.

import { Failure, call, list, path, vocabulary } from './api.js';
import { button, empty, heading, help, make, more, section } from './dom.js';
import { edit } from './edit.js';
import { area, field, select, text } from './fields.js';
import { source } from './market.js';
import { assistantWord, toolWord } from './words.js';

export async function page({ market, signal }) {
  if (!market) return [heading('Assistants'), empty('There is no market yet', 'Add one on the page Market.')];
  const { load, save } = source(market, signal);
  const [base, known, answer] = await Promise.all([load(), vocabulary(signal), call(path('markets', market, 'assistants'), { signal })]);
  const name = (tag) => known.languages.find((l) => l.tag === tag)?.name ?? tag;
  const editor = edit({
    base, load, save, what: 'market',
    view: (m, changed) => list(answer.assistants).map((a) => one(m, a, { changed, name, market, signal })),
  });
  return [heading('Assistants'), help('How the assistants greet and sound in this market. Nothing changes before you save, and whatever you save can be undone. Older versions are on the page History.'), ...editor.nodes];
}

function one(m, a, { changed, name, market, signal }) {
  const own = () => m.voices?.[a.name] ?? {};
  function change(part) {
    const next = { ...own(), ...part };
    for (const key of Object.keys(next)) if (!next[key] || Object.keys(next[key]).length === 0) delete next[key];
    m.voices = { ...m.voices, [a.name]: next };
    if (Object.keys(next).length === 0) delete m.voices[a.name];
    changed();
  }
  function greet(tag, words) {
    const all = { ...own().greeting, [tag]: words };
    if (!words.trim()) delete all[tag];
    change({ greeting: all });
  }
  const languages = Object.keys(a.greeting);
  const node = section(assistantWord(a.name),
    languages.length ? make('div', { className: 'settings' }, languages.map((tag) => field(`Greeting, ${name(tag)}`, area(own().greeting?.[tag], (v) => greet(tag, v), { lang: tag, maxLength: 400 }), {
      path: `voices.${a.name}.greeting.${tag}`, wide: true, note: `Said once when a call begins. Empty uses “${a.greeting[tag]}”`,
    }))) : help('It does not greet.'),
    a.model ? make('div', { className: 'settings' }, field('Tone', area(own().tone, (v) => change({ tone: v.trim() ? v : '' }), { maxLength: 400 }), {
      path: `voices.${a.name}.tone`, wide: true, note: 'How it sounds, such as “Warm and brief. Use first names.” It cannot change what the assistant may do.',
    })) : null,
    trial(m, a, { languages: m.languages, name, market, signal }),
    more('What is fixed', locked(a)));
  node.className = 'row';
  return node;
}

/** Shows how the assistant would greet and answer with the words as they stand, saved or not. */
function trial(m, a, { languages, name, market, signal }) {
  const wish = { language: m.language, message: '' };
  const shown = make('div', { className: 'answer', 'aria-live': 'polite' });
  const bubble = (words) => make('p', { className: 'bubble', dir: 'auto' }, words);
  async function show() {
    try {
      const seen = await call(path('markets', market, 'assistants', a.name, 'preview'), { method: 'POST', body: { voice: m.voices?.[a.name] ?? {}, ...wish }, signal });
      shown.replaceChildren(...[seen.greeting, seen.reply].filter(Boolean).map(bubble));
      if (!shown.hasChildNodes()) shown.replaceChildren(help('It says nothing by itself.'));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      shown.replaceChildren(help(error.detail || error.words));
    }
  }
  return more('Try it', make('div', { className: 'settings' },
    field('Language', select(wish.language, languages.map((tag) => [tag, name(tag)]), (v) => { wish.language = v; })),
    a.model ? field('A customer writes', text(wish.message, (v) => { wish.message = v; }, { maxLength: 500 }), { note: 'A model answers it without any tools, so nothing happens. Leave it empty to see the greeting alone.' }) : null),
  button('Show it', show, { 'aria-label': `Show how ${assistantWord(a.name)} sounds` }), shown);
}

function locked(a) {
  return [
    help(a.verifies ? 'Customers are verified by the phone number of the call and their ZIP code before anything else is possible. No setting changes that.' : 'What it may do is set on the page Tools.'),
    make('ul', { className: 'rows' }, a.tools.map((t) => make('li', { className: 'row' },
      make('h3', {}, toolWord(t.name)), make('p', {}, t.description),
      t.acknowledgement ? make('p', {}, make('b', {}, 'While it works: '), t.acknowledgement) : null,
      more('Arguments', make('pre', {}, make('code', {}, JSON.stringify(t.schema, null, 2)))),
      help('Name for developers: ', make('code', {}, t.name)))))];
}
