// Shows what a message would say while it is written, and which of its variables there are not.

import { Failure, call } from './api.js';
import { make } from './dom.js';
import { field } from './fields.js';

const from = { listing: 'This wording', market: 'The market’s wording', default: 'Merve’s own wording' };

/**
 * A text with variables and what it would say. `ask(text)` is the request that previews it: its path
 * and body.
 */
export function template(label, text, set, { ask, variables, path, note, signal }) {
  const shown = make('p', { className: 'bubble', dir: 'auto' });
  const whose = make('p', { className: 'help' });
  const wrong = make('p', { className: 'wrong', role: 'status', hidden: true });
  let turn = 0;
  let wait = 0;

  async function show(value) {
    const mine = (turn += 1);
    const { path: to, body } = ask(value);
    try {
      const seen = await call(to, { method: 'POST', body, signal });
      if (mine !== turn) return;
      shown.textContent = seen.text;
      whose.textContent = `${from[seen.from] ?? ''}, with sample values:`;
      const unknown = seen.unknown ?? [];
      wrong.hidden = !seen.problem;
      wrong.textContent = unknown.length ? `There is no ${unknown.map((name) => `{${name}}`).join(' and no ')} here. Use one of the buttons.` : seen.problem ?? '';
      box.toggleAttribute('aria-invalid', Boolean(seen.problem));
      if (seen.problem) box.setAttribute('aria-invalid', 'true');
    } catch (error) {
      if (mine === turn && error instanceof Failure) whose.textContent = error.detail || error.words;
    }
  }

  const node = field(label, (base) => make('textarea', {
    ...base, value: text ?? '', rows: 4, dir: 'auto',
    oninput: (e) => { set(e.target.value); clearTimeout(wait); wait = setTimeout(() => show(e.target.value), 250); },
  }), { path, note, wide: true });
  const box = node.querySelector('textarea');
  const insert = (name) => {
    box.setRangeText(`{${name}}`, box.selectionStart, box.selectionEnd, 'end');
    box.dispatchEvent(new Event('input'));
    box.focus();
  };
  box.after(make('div', { className: 'chips', role: 'group', 'aria-label': `Put into ${label}` }, variables.map((name) => make('button', { type: 'button', className: 'chip', onclick: () => insert(name) }, `{${name}}`))));
  node.append(wrong, whose, shown);
  return { node, show: () => show(box.value) };
}
