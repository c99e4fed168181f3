// One listing: its texts, hours, delivery, menu, and what can be done with it.

import { Failure, call, list, path } from './api.js';
import { button, confirm, done, heading, help, make, more, section, tell, trouble } from './dom.js';
import { edit } from './edit.js';
import { amount, area, field, number, numeric, optional, select, text, tick, words } from './fields.js';
import { versionsOf } from './history.js';
import { closedDates, everyDay, weekly } from './hours.js';
import { named, offerings } from './offerings.js';
import { template } from './preview.js';
import { actions, eventWord, kinds } from './words.js';

/** The page of one listing; of a new one when the address names none. */
export async function one(ctx, known) {
  const { query, market, signal, go, address } = ctx;
  const id = query.get('listing');
  const fresh = id === '';
  const settings = await call(path('markets', market), { signal });
  const base = fresh ? { id: '', businessId: '', names: {}, descriptions: {}, domain: '', category: '', place: '', offerings: [], merve: { enabled: true, actions: [] }, version: 0 }
    : await call(path('markets', market, 'listings', id), { signal });
  const at = (l) => path('markets', market, 'listings', l.id);
  let stored = base;
  const title = heading(fresh ? 'New listing' : nameOf(base));
  const editor = edit({
    base, what: 'listing',
    load: () => call(at(base), { signal }),
    save: async (l) => {
      if (!l.id) throw Object.assign(new Failure('refused', { detail: 'Give it a short name first.', field: 'id' }));
      return call(at(l), { method: 'PUT', body: counted(named(l), stored) });
    },
    saved: (l) => {
      stored = l;
      if (fresh) setTimeout(() => go(address({ listing: l.id }), { replace: true, keep: false }));
      title.textContent = nameOf(l);
    },
    view: (l, changed, tools) => view(l, { changed, known, settings, market, signal, fresh, ...tools }),
  });
  return [
    title, make('p', { className: 'back' }, make('a', { href: address() }, '← All listings')), ...editor.nodes,
    fresh ? null : versions(ctx, base, at(base)), fresh ? null : removing(ctx, base, at(base)),
  ];
}

const nameOf = (l) => String(l.names?.en || Object.values(l.names ?? {})[0] || l.id);

/**
 * The listing with the counts that were typed, or that an undo brings back, as said now: what was
 * sold since they were said before is not put back. Others stay as they are stored.
 */
function counted(l, stored) {
  const batch = new Date().toISOString();
  return {
    ...l, items: l.items?.map(({ stock, ...item }) => {
      const left = l.left?.[item.id];
      if (left === stored.left?.[item.id]) return { ...item, stock };
      return left === undefined ? item : { ...item, stock: { count: left, batch } };
    }),
  };
}

function view(l, ctx) {
  const { changed, settings, fresh } = ctx;
  const set = (name) => (v) => { l[name] = v; changed(); };
  const languages = [...new Set([...settings.languages, ...Object.keys(l.names ?? {}), ...Object.keys(l.descriptions ?? {})])];
  const word = Object.fromEntries(ctx.known.languages.map(({ tag, name }) => [tag, name]));
  l.names ??= {};
  l.descriptions ??= {};
  l.merve ??= {};
  const bookable = offerings(l, ctx);
  return [
    tick('Offered by Merve', l.merve.enabled, (on) => { l.merve.enabled = on; changed(); }, { note: 'Off: customers do not find it.' }),
    tick('Only customers with a name and a number', l.merve.requireContact, (on) => { l.merve.requireContact = on; changed(); }, { note: 'Merve asks for the customer’s name and phone number before it takes anything for this business.' }),
    section('What it is', make('div', { className: 'settings' },
      fresh ? field('Short name', text(l.id, (v) => set('id')(v.trim())), { path: 'id', note: 'Letters, digits and dashes. It cannot be changed later.' }) : null,
      field('Business', text(l.businessId, set('businessId')), { path: 'businessId', note: 'Who runs it. Listings of one business share its bookings and orders, and stay with it.' }),
      field('Domain', text(l.domain, set('domain')), { path: 'domain', note: 'Such as food, stay, service, property.' }),
      field('Category', text(l.category, set('category')), { path: 'category', note: 'Such as restaurant.' }),
      field('Sub-category', text(l.subCategory, set('subCategory')), { path: 'subCategory' }),
      field('Tags', words(l.tags, set('tags')), { path: 'tags', note: 'With commas between.' }),
      field('Place', text(l.place, set('place')), { path: 'place', note: 'Town or district.' }),
      field('Address', text(l.address, set('address')), { path: 'address' }),
      field('WhatsApp number', text(l.merve.whatsappE164, (v) => { l.merve.whatsappE164 = v.trim(); changed(); }, { type: 'tel' }), { path: 'merve.whatsappE164', note: 'Where its bookings and orders are sent, with country code.' }))),
    section('Texts', languages.map((tag) => make('fieldset', {}, make('legend', {}, word[tag] ?? tag),
      field('Name', text(l.names[tag], (v) => { l.names[tag] = v; if (!v) delete l.names[tag]; changed(); }, { lang: tag }), { path: `names.${tag}`, wide: true }),
      field('Description', area(l.descriptions[tag], (v) => { l.descriptions[tag] = v; if (!v) delete l.descriptions[tag]; changed(); }, { lang: tag }), { path: `descriptions.${tag}`, wide: true })))),
    section('Opening hours', hours(l, settings, changed)),
    section('Delivery', delivery(l, settings, changed)),
    section('Menu, services, tickets and rooms', menu(l, ctx)),
    section('What can be booked', bookable.node),
    section('What can be done with it', help('Each action sends its message to the number of the listing, unless it has one of its own.'), acting(l, ctx)),
    more('For experts: bookings and items as data', help('What can be booked, with its calendar, and the whole menu. Ask a developer if you are not sure.'),
      data('Offerings', 'offerings', l, () => { bookable.show(); changed(); }), data('Items', 'items', l, changed)),
  ];
}

/** What the prices of its items are in, as the backend has it. */
const currencyOf = (l, settings) => l.price?.currency || l.offerings?.[0]?.currency || settings.currency;

// --- hours and delivery ---

const hours = (l, settings, changed) => optional('It has opening hours', Boolean(l.hours), {
  path: 'hours', note: 'Such as 12:00–15:00, 18:00–23:00. An empty day is closed.',
  set: (on) => { l.hours = on ? { timeZone: settings.timeZone, days: everyDay() } : null; changed(); },
  controls: () => [...weekly(l.hours, 'days', { changed }), closedDates(l.hours, changed)],
});

const delivery = (l, settings, changed) => optional('It delivers', Boolean(l.delivery), {
  path: 'delivery', note: 'Off: orders are picked up.',
  set: (on) => { l.delivery = on ? { feeMinor: 0, minimumMinor: 0 } : null; changed(); },
  controls: () => {
    const ctx = { changed, path: 'delivery' };
    const [part, price] = [numeric(l.delivery, ctx), amount(l.delivery, ctx, currencyOf(l, settings))];
    return [price('Fee', 'feeMinor'), price('Order at least', 'minimumMinor', { note: 'Without the fee.' }),
      part('At most this far (km)', 'radiusMeters', { note: '0 is anywhere.' }, 1000), part('Usually takes (minutes)', 'minutes')];
  },
});

// --- menu ---

function menu(l, { changed, settings }) {
  const rows = make('ul', { className: 'rows items', 'data-path': 'items' });
  const lang = settings.language;
  const show = () => rows.replaceChildren(...(l.items ?? []).map((item, i) => {
    const name = item.names?.[lang] || item.names?.en || Object.values(item.names ?? {})[0] || item.id;
    return make('li', { className: 'row' },
      make('div', { className: 'settings' },
        field('Name', text(name, (v) => { item.names = { ...item.names, [item.names?.[lang] === undefined && item.names?.en !== undefined ? 'en' : lang]: v }; changed(); })),
        amount(item, { changed, path: `items[${i}]` }, currencyOf(l, settings))('Price', 'priceMinor'),
        field('Kind', select(item.kind, Object.entries(kinds), (v) => { item.kind = v; changed(); })),
        field('Left', number(l.left?.[item.id], (v) => {
          l.left = { ...l.left };
          if (v === null) delete l.left[item.id];
          else l.left[item.id] = v;
          changed();
        }, { min: 0, step: 1 }), { note: 'Orders take from it. Empty: not counted.' }),
        field('Section', text(item.section, (v) => { item.section = v; if (!v) delete item.section; changed(); }), {})),
      make('div', { className: 'act' },
        tick('Sold out', item.soldOut, (on) => { item.soldOut = on; if (!on) delete item.soldOut; changed(); }, { name: `${name}: sold out` }),
        button('Remove', () => { l.items.splice(i, 1); changed(); show(); }, { 'aria-label': `Remove ${name}` })));
  }));
  show();
  return make('div', {}, rows, button('Add an item', () => {
    const ids = new Set((l.items ?? []).map((item) => item.id));
    let n = ids.size + 1;
    while (ids.has(`item-${n}`)) n += 1;
    l.items = [...(l.items ?? []), { id: `item-${n}`, kind: l.items?.at(-1)?.kind ?? 'menuItems', names: { [lang]: '' }, priceMinor: 0 }];
    changed();
    show();
    rows.lastChild.querySelector('input').focus();
  }));
}

// --- actions ---

function acting(l, ctx) {
  const { changed, known, market, signal } = ctx;
  const rows = make('ul', { className: 'rows', 'data-path': 'merve.actions' });
  const show = () => rows.replaceChildren(...(l.merve.actions ?? []).map((a, i) => {
    a.dispatch ??= {};
    const event = known.actionTypes[a.type];
    const dispatch = (name) => (v) => { a.dispatch[name] = v; if (!v) delete a.dispatch[name]; changed(); };
    const own = template(`Message “${eventWord(event)}”`, a.dispatch.template, dispatch('template'), {
      variables: known.events[event] ?? [], signal, path: '', note: 'Empty uses the market’s wording.',
      ask: (value) => ({
        path: `${path('markets', market, 'listings')}/preview`,
        body: { event, action: a.type, listing: { names: l.names, merve: { language: l.merve.language, actions: [{ ...a, dispatch: { ...a.dispatch, template: value } }] } } },
      }),
    });
    const sent = more('Message and details', make('div', { className: 'settings' },
      field('Sent to another number', text(a.dispatch.toE164, (v) => dispatch('toE164')(v.trim()), { type: 'tel' }), { note: 'With country code. Empty uses the listing’s.' }),
      field('What it is about', select(a.dataKind, [['', 'The listing as a whole'], ...Object.entries(kinds)], (v) => { a.dataKind = v; if (!v) delete a.dataKind; changed(); })),
      field('Tags', words(a.tags, (v) => { a.tags = v; changed(); }), {}),
      field('Notes', text(a.notes, (v) => { a.notes = v; changed(); }), { note: 'For you and your colleagues only.' })), own.node);
    sent.addEventListener('toggle', () => sent.open && own.show(), { once: true });
    return make('li', { className: 'row' }, make('h3', {}, actions[a.type] ?? a.type),
      make('div', { className: 'act' },
        tick('On', a.enabled, (on) => { a.enabled = on; changed(); }, { name: `${actions[a.type] ?? a.type}: on` }),
        button('Remove', () => { l.merve.actions.splice(i, 1); changed(); show(); }, { 'aria-label': `Remove ${actions[a.type] ?? a.type}` })),
      sent);
  }));
  show();
  let type = Object.keys(known.actionTypes)[0];
  return make('div', {}, rows, make('div', { className: 'act' },
    field('Add an action', select(type, Object.keys(known.actionTypes).map((t) => [t, actions[t] ?? t]), (v) => { type = v; }), {}),
    button('Add', () => { l.merve.actions = [...(l.merve.actions ?? []), { type, enabled: true, dispatch: {} }]; changed(); show(); }, { 'aria-label': 'Add the action' })),
  older(l, ctx, show));
}

const olderTypes = { restaurant: 'Restaurant', provider: 'Provider of services', activity: 'Activity', stay: 'Place to stay' };

/** The older form of a listing's actions, shown as what it becomes. */
function older(l, { changed, market, signal }, show) {
  const old = { toolType: 'restaurant', dispatchTemplate: '' };
  const out = make('div', { className: 'answer', role: 'status' });
  let made = [];
  async function look() {
    try {
      const seen = await call(`${path('markets', market, 'listings')}/preview`, { method: 'POST', signal, body: { event: 'merchant_order_placed', action: 'order_food', listing: { names: l.names, merve: old } } });
      made = list(seen.actions);
      out.replaceChildren(help('This becomes:'), make('ul', { className: 'changes' }, made.map((a) => make('li', {}, make('b', {}, actions[a.type] ?? a.type),
        a.dataKind ? `, about ${kinds[a.dataKind].toLowerCase()}` : '', a.dispatch?.template ? [', saying “', make('bdi', {}, a.dispatch.template), '”'] : ''))),
      button('Use these actions', () => { l.merve.actions = made; changed(); show(); out.replaceChildren(help('The actions are replaced. Save to keep them.')); }));
    } catch (error) {
      out.replaceChildren(trouble(error));
    }
  }
  return more('From an older catalogue', help('Older catalogues have one type for the whole listing, and one wording. See what that becomes.'), make('div', { className: 'settings' },
    field('Type', select(old.toolType, Object.entries(olderTypes), (v) => { old.toolType = v; })),
    field('Wording', area('', (v) => { old.dispatchTemplate = v; }))), button('Show what it becomes', look), out);
}

// --- data, versions, deletion ---

function data(word, name, l, changed) {
  const node = field(word, (base) => make('textarea', {
    ...base, value: JSON.stringify(l[name] ?? [], null, 2), rows: 8, spellcheck: false, className: 'code',
    onfocus: (e) => { if (!e.target.hasAttribute('aria-invalid')) e.target.value = JSON.stringify(l[name] ?? [], null, 2); }, // it may have changed in the form
    onchange: (e) => {
      try {
        l[name] = JSON.parse(e.target.value);
        e.target.removeAttribute('aria-invalid');
        changed();
      } catch {
        e.target.setAttribute('aria-invalid', 'true');
        tell(`${word}: this cannot be read, and is not taken over.`);
      }
    },
  }), { path: name, wide: true });
  return node;
}

function versions({ signal, refresh }, base, at) {
  const body = make('div');
  const node = more('History', body);
  node.addEventListener('toggle', show, { once: true });
  async function show() {
    try {
      const all = list((await call(`${at}/versions?limit=50`, { signal })).versions);
      body.replaceChildren(versionsOf(all, back, 'this listing'));
    } catch (error) {
      body.replaceChildren(trouble(error, show));
    }
  }
  async function back(to) {
    const sure = await confirm({ title: `Go back to version ${to.version}?`, text: 'The listing becomes what it was then. This makes a new version, so nothing is lost.', yes: 'Go back to it' });
    if (!sure) return;
    try {
      const now = await call(at, { signal });
      const stock = new Map((now.items ?? []).map((item) => [item.id, item.stock])); // what is sold stays sold
      const items = to.items?.map((item) => (stock.has(item.id) ? { ...item, stock: stock.get(item.id) } : item));
      await call(at, { method: 'PUT', body: { ...to, items, version: now.version } });
      await refresh();
      const words = `The listing is as in version ${to.version} again.`;
      document.querySelector('main h1')?.after(done(words));
      tell(words);
    } catch (error) {
      body.prepend(trouble(error));
    }
  }
  return node;
}

function removing({ go, address, market }, base, at) {
  const place = make('div');
  async function remove() {
    const sure = await confirm({ title: `Take ${nameOf(base)} away?`, text: 'Customers do not find it any more, and nothing can be booked or ordered there. Bookings and orders that stand are not touched.', yes: 'Take away' });
    if (!sure) return;
    try {
      await call(at, { method: 'DELETE' });
      await go(address(), { keep: false });
      const back = button('Undo', async () => {
        const { updatedAt, updatedBy, version, ...rest } = base;
        await call(path('markets', market, 'listings', base.id), { method: 'PUT', body: rest });
        await go(address({ listing: base.id }));
      });
      document.querySelector('main h1')?.after(done(`${nameOf(base)} is taken away.`, back));
    } catch (error) {
      place.replaceChildren(trouble(error));
    }
  }
  return make('div', { className: 'danger' }, place, button('Take this listing away…', remove));
}
