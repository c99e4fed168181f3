// What businesses and drivers are told: a wording for each event, and the templates that WhatsApp has
// approved.

import { path, vocabulary } from './api.js';
import { empty, heading, help, make, more, section } from './dom.js';
import { edit } from './edit.js';
import { field, text, words } from './fields.js';
import { source } from './market.js';
import { template } from './preview.js';
import { events, eventWord } from './words.js';

export async function page({ market, signal }) {
  if (!market) return [heading('Messages'), empty('There is no market yet', 'Add one on the page Market.')];
  const { load, save } = source(market, signal);
  const [base, known] = await Promise.all([load(), vocabulary(signal)]);
  const names = [...Object.keys(events).filter((name) => known.events[name]), ...Object.keys(known.events).filter((name) => !events[name])];
  const editor = edit({
    base, load, save, what: 'market',
    view: (m, changed) => names.map((name) => one(m, name, known.events[name], { changed, market, signal })),
  });
  return [heading('Messages'), help('What businesses and drivers are told on WhatsApp, and when. A box that is empty uses Merve’s own wording, in the reader’s language. A listing can have a wording of its own, on its page.'), ...editor.nodes];
}

function one(m, name, variables, { changed, market, signal }) {
  const set = (v) => {
    m.templates = { ...m.templates, [name]: v };
    if (!v) delete m.templates[name];
    changed();
  };
  const own = template('Wording', m.templates?.[name], set, {
    variables, path: `templates.${name}`, signal, note: 'Variables stand in braces and are filled in when it is sent.',
    ask: (value) => ({ path: path('markets', market, 'preview'), body: { event: name, template: value } }),
  });
  const node = section(eventWord(name), help(events[name]?.about ?? ''), own.node, approved(m, name, changed));
  node.className = 'message row';
  node.querySelector('textarea').setAttribute('aria-label', `Wording of ${eventWord(name)}`);
  whenSeen(node, own.show);
  return node;
}

/** Does something when a node comes into view for the first time. */
function whenSeen(node, act) {
  const eye = new IntersectionObserver((entries) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    eye.disconnect();
    act();
  }, { rootMargin: '400px' });
  eye.observe(node);
}

function approved(m, name, changed) {
  const has = m.whatsapp?.templates?.[name];
  const set = (part) => {
    const next = { ...m.whatsapp?.templates?.[name], ...part };
    m.whatsapp = { ...m.whatsapp, templates: { ...m.whatsapp?.templates, [name]: next } };
    if (!next.contentSid && !next.params?.length) delete m.whatsapp.templates[name];
    changed();
  };
  return more(has ? 'Template approved by WhatsApp: set' : 'Template approved by WhatsApp',
    help('WhatsApp lets us write freely within 24 hours after somebody wrote to us. Later it takes an approved template only. Make one at your WhatsApp provider and put its number here.'),
    make('div', { className: 'settings' },
      field('Number of the template', text(has?.contentSid, (v) => set({ contentSid: v.trim() })), { path: `whatsapp.templates.${name}.contentSid`, note: 'Such as HX0123456789abcdef0123456789abcdef.' }),
      field('What goes into {{1}}, {{2}}, …', words(has?.params, (v) => set({ params: v })), { path: `whatsapp.templates.${name}.params`, note: 'Names of variables in their order, with commas between, such as code, listing, when.' })));
}
