// Sara's chat as a widget. One tag puts it on a page of an allowed site:
//
//   <script src="https://HOST/sara.js" async data-title="…" data-language="…" data-color="…" data-market="…"></script>
//
// What it promises the page: a shadow root with styles of its own, no cookie, no markup made of text, nothing
// stored or asked for before somebody opens it. The page's policy has to allow HOST for script-src and
// connect-src (there with its wss: address too, or it does without), and where photos are kept for connect-src and, to show old ones, img-src; no style, no trusted type.
//
// What it promises the customer: a message has one clientMessageId from the moment it is written and is kept
// until it is answered, over reloads too, so it is neither lost nor counted twice. While the panel is open and
// looked at, news is looked for, less and less often while there is none. Where there is a socket, words are shown
// as they are said; what counts is read when they are, and without a socket all is as it was.
(() => {
  'use strict';

  const script = document.currentScript ?? document.querySelector('script[src*="/sara.js"]');
  const once = Symbol.for('sara-chat');
  if (!script || window[once]) return;
  window[once] = true;

  const { origin } = new URL(script.src);
  // A session has a conversation in each market, and every request says which; '' is the server's own choice.
  const { title, color, market: marketId = '', name } = script.dataset;
  const API = '/web-chat-api';
  const LIVE = '{{sockets}}'; // where they are; the server fills it in
  const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/gif'];
  const [PHOTOS, BYTES, PIXELS, LETTERS] = [5, 10 << 20, 2048, 4000];
  const PATIENCE = 10 * 60_000;         // how long a late reply is waited for, ms
  const STALE = 60 * 60_000;             // unsent for longer, a message found at the start is not sent unasked
  const [QUICK, SLOW] = [3_000, 15_000]; // between two looks for news, right after some, and when there has been none

  // --- words; yes and no are sent as answers, so they are words the assistant knows ---

  const { keys, words, rightToLeft } = '{{words}}'; // the server fills them in: texts by language, in the order of their keys
  const language = [script.dataset.language, document.documentElement.lang, ...navigator.languages]
    .map((tag) => String(tag).toLowerCase().split('-')[0].replace('iw', 'he')).find((tag) => Object.hasOwn(words, tag)) ?? 'en';
  const texts = words[language];
  const locale = new Intl.Locale(navigator.languages.find((tag) => tag.startsWith(language)) ?? language, { numberingSystem: 'latn' });
  const say = (key) => texts[keys.indexOf(key)];

  // --- what this device keeps; where storage is denied, the page's memory has to do ---

  const memory = new Map();
  const write = (key, value) => {
    memory.set(key, value);
    try { if (value === null) localStorage.removeItem(key); else localStorage.setItem(key, value); } catch {}
  };
  const recall = (key) => { try { return localStorage.getItem(key) ?? memory.get(key); } catch { return memory.get(key); } };
  const parse = (json) => { try { return JSON.parse(json); } catch { return null; } };
  const kept = () => {
    let stored = [];
    try { stored = Object.keys(localStorage); } catch {}
    return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(OUT)).map((key) => parse(recall(key)))
      .filter((e) => e?.clientMessageId && (e.marketId ?? '') === marketId).sort((a, b) => a.at - b.at);
  };
  const [SESSION, OUT, DRAFT, PENDING] = ['sara.session', 'sara.out.', 'sara.draft', 'sara.pending' + marketId];

  const random = (bytes) => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
  const known = () => /^[\w-]{22,128}$/.test(recall(SESSION));
  const session = () => { if (!known()) write(SESSION, random(32)); return recall(SESSION); };

  // --- talking to the server; what it throws has a kind, which is a word too ---

  let ahead = 0; // the server's clock minus ours, ms
  const now = () => Date.now() + ahead;

  async function request(path, body) {
    const headers = { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : { 'x-session-id': session() }) };
    const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    let response;
    try {
      response = await fetch(origin + API + path, { ...init, headers, credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(60_000) });
    } catch {
      throw { kind: 'network' };
    }
    const shift = Date.parse(response.headers.get('date')) + 500 - now(); // it has whole seconds
    if (Math.abs(shift) > 1_500) ahead += shift;
    const answer = await response.json().catch(() => null);
    if (response.ok && !answer) throw { kind: 'network' }; // it broke off
    if (response.ok) return { answer, response };
    const { status } = response;
    throw {
      kind: status === 429 || status === 503 ? 'busy' : status >= 500 ? 'server' : 'refused',
      detail: String(answer?.detail ?? ''), traceId: String(answer?.traceId ?? ''), after: Number(response.headers.get('retry-after')) * 1000,
    };
  }
  const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

  // --- building ---

  function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key.includes('-') || key === 'role') node.setAttribute(key, value); else node[key] = value;
    }
    node.append(...children.filter(Boolean));
    return node;
  }
  function icon(d) {
    const [svg, path] = ['svg', 'path'].map((tag) => document.createElementNS('http://www.w3.org/2000/svg', tag));
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    path.setAttribute('d', d);
    svg.append(path);
    return svg;
  }
  const button = (label, onclick, d) => make('button', { type: 'button', title: d ? label : '', onclick, ...(d && { 'aria-label': label }) }, d ? icon(d) : label);
  const parseURL = (text) => { try { return new URL(text); } catch { return {}; } };
  const outward = (href, child) => make('a', { href, target: '_blank', rel: 'noopener noreferrer' }, child);

  function linked(text) {
    const parts = [];
    let start = 0;
    for (const { 0: found, index } of text.matchAll(/https?:\/\/[!#-;=?-~]+/g)) {
      const shown = found.replace(/[.,:;!?)\]}'*_]+$/, '');
      const { protocol, origin: from, username, password, href } = parseURL(shown);
      if (protocol !== 'https:' && from !== origin || username || password) continue;
      parts.push(text.slice(start, index), outward(href, shown));
      start = index + shown.length;
    }
    return [...parts, text.slice(start)];
  }

  const css = '{{styles}}'; // widget.css; the server fills it in

  // --- the widget's nodes ---

  const host = document.createElement('sara-chat');
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  shadow.adoptedStyleSheets = [sheet];

  const heading = title || say('title');
  const log = make('div', { className: 'log', role: 'log', tabIndex: 0, 'aria-live': 'polite', 'aria-relevant': 'additions', 'aria-label': say('messages') });
  const status = make('p', { className: 'status', role: 'status' });
  const earlier = make('p', { className: 'bad', hidden: true }, say('network') + ' ', button(say('retry'), refresh));
  const stands = make('p', { className: 'stands', role: 'status', dir: 'auto' });
  const summary = make('p', { role: 'status', dir: 'auto' });
  const until = make('span');
  const ask = make('section', { className: 'ask', hidden: true, 'aria-label': say('asked') }, make('h2', {}, say('asked') + ' ', until), summary,
    make('div', {}, ...['yes', 'no'].map((word) => Object.assign(button(say(word), () => settle(say(word))), { className: word === 'yes' ? 'fill' : 'plain' }))));
  const choose = make('div', { className: 'photos choose', role: 'group', hidden: true, 'aria-label': say('asked') });
  const files = make('input', { type: 'file', accept: TYPES.join() + ',.heic', multiple: true, hidden: true, onchange: () => { add(files.files); files.value = ''; } });
  const thumbs = make('ul', { className: 'photos', 'aria-label': say('photo') });
  const text = make('textarea', { rows: 1, maxLength: LETTERS, placeholder: say('message'), enterKeyHint: 'send', 'aria-label': say('message'), value: recall(DRAFT) ?? '' });
  const form = make('form', { onsubmit: submit }, thumbs, make('div', { className: 'box' }, files,
    button(say('add'), () => files.click(), 'M4 8h3l2-3h6l2 3h3v11H4zM12 16.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7z'), text,
    Object.assign(button(say('send'), null, 'M12 20V5m-7 7 7-7 7 7'), { type: 'submit', className: 'fill' }),
    Object.assign(button(say('stop'), () => live.stop(), 'M7 7h10v10H7z'), { className: 'fill', hidden: true })));
  const panel = make('dialog', { role: 'dialog', 'aria-labelledby': 'title' },
    make('header', { className: 'fill' }, make('h2', { id: 'title' }, heading), button(say('close'), () => panel.close(), 'm6 6 12 12M6 18 18 6')),
    log, choose, status, stands, ask, form);
  const launch = make('button', { type: 'button', className: 'launch fill', onclick: open, 'aria-haspopup': 'dialog' },
    icon('M4 5h16v11H10l-5 4v-4H4z'), make('span', {}, heading));
  const root = make('div', { className: 'root', lang: language, dir: rightToLeft.includes(language) ? 'rtl' : 'ltr' }, launch, panel);
  shadow.append(root);
  log.append(earlier, make('div', { className: 'entry' }, make('p', { className: 'bubble' }, say('hello'))));

  /** Takes the site's colour and what can be read on it; on white it is used only where it can be read. */
  function paint() {
    const pen = make('canvas').getContext('2d');
    pen.fillStyle = '#0e5a5e';
    pen.fillStyle = color || pen.fillStyle; // keeps the first when the other is no colour
    const brand = /^#[0-9a-f]{6}$/.test(pen.fillStyle) ? pen.fillStyle : '#0e5a5e';
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(brand.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    const readable = 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05) >= 4.5; // WCAG 2.2, contrast with white
    for (const [key, value] of [['brand', brand], ['on', readable ? '#fff' : '#000'], ['ink', readable ? brand : '#1d2829']]) root.style.setProperty(`--${key}`, value);
  }

  // --- the conversation ---
  //
  // An entry is {own, text, media, at, state, node}; state is waiting, sending, failed (then error says why) or sent.
  // What the server has not listed yet of its text is its rest. A queue, as messages leave one after the other.

  const entries = [];
  const listed = new Map(); // id to entry, of those whose id is known
  let tail = '';            // cursor of the last page read
  let newest;               // the last entry listed
  let loaded = false;
  let working = 0;          // replies waited for
  let turns = 0;            // how often that changed
  let queue = Promise.resolve();

  let photos = [];   // to go with the next message: {file, type, label, node, item, state, url}; state is up, done or failed
  let counted = 0;
  let eager = false; // the message goes as soon as its photos are up
  let notice = '';
  let asked;         // the pending action shown
  let ending;        // timer of its end
  let looking;       // timer of the next look for news
  let live;          // what hears while the panel is open, as live.js makes it

  function show() {
    const word = !navigator.onLine ? 'offline' : eager ? 'sending' : working && !live?.says && 'writing';
    status.textContent = notice || (word ? say(word) : '');
    // Where one would send, a reply is stopped, as long as one is said and nothing is written.
    const [submits, stops] = [...form.querySelectorAll('.fill')];
    stops.hidden = !live?.speaking || text.value.trim() !== '' || photos.length > 0;
    submits.hidden = !stops.hidden;
  }
  function work(more) {
    working += more;
    turns++;
    if (!working) watch(QUICK);
    show();
  }
  function note(key, words = key && say(key)) { notice = words; show(); }

  // Who reads the end goes on doing so, whatever comes or takes its place.
  let atEnd = true;
  const toEnd = () => { log.scrollTop = log.scrollHeight; };
  log.onscroll = () => { atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80; };
  new ResizeObserver(() => { if (atEnd) toEnd(); }).observe(log);

  function place(entry, index) {
    entries.splice(index, 0, entry);
    const { own, media } = entry;
    const follow = own || atEnd;
    entry.foot = make('p', { className: 'foot' });
    entry.node = make('div', { className: own ? 'entry own' : 'entry' },
      make('span', { className: 'unseen' }, own ? say('you') : 'Sara', ': '),
      entry.text && make('p', { className: 'bubble', dir: 'auto' }, ...linked(entry.text)),
      media.length > 0 && make('ul', { className: 'photos' }, ...media.map((photo, i) => make('li', {}, picture(photo, i)))),
      entry.foot);
    log.insertBefore(entry.node, entries[index + 1]?.node ?? null);
    mark(entry, entry.state, entry.error);
    if (follow) toEnd();
  }

  function mark(entry, state, error) {
    Object.assign(entry, { state, error });
    const clock = new Date(entry.at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
    entry.foot.textContent = clock + (state === 'sending' ? ` · ${say('sending')}` : '');
    const old = entry.node.querySelector('.bad');
    if (old?.contains(shadow.activeElement)) text.focus();
    old?.remove();
    if (state === 'failed') entry.node.append(trouble(entry, error));
    show();
  }

  function trouble(entry, { kind, detail, traceId }) {
    const refused = kind === 'refused';
    return make('p', { className: 'bad' }, say(kind), refused && detail && make('bdi', {}, ` ${detail}`), traceId && ` (${traceId})`, ' ',
      refused ? button(say('edit'), () => takeBack(entry)) : button(say('retry'), () => { deliver(entry); text.focus(); }));
  }

  function picture({ node, url }, i) {
    const label = `${say('photo')} ${i + 1}`;
    const { protocol, href } = parseURL(url);
    const none = () => make('span', { className: 'none' }, label);
    if (node) return node;
    if (!/^https?:$/.test(protocol)) return none();
    const image = make('img', { alt: label, loading: 'lazy', referrerPolicy: 'no-referrer', src: href });
    image.addEventListener('error', () => image.replaceWith(none()));
    return outward(href, image);
  }

  // --- sending ---

  // Names the question it stands below, so that it never answers another.
  function settle(words) {
    const { id } = asked;
    pend(null);
    send(words, [], id);
    text.focus();
  }

  function send(words, media, replyTo) {
    const clientMessageId = random(16);
    const at = Date.now();
    const entry = { own: true, text: words, rest: words, media, replyTo, at, clientMessageId, state: 'waiting' };
    write(OUT + clientMessageId, JSON.stringify({ clientMessageId, text: words, replyTo, mediaUrls: media.map((m) => m.url), at, marketId }));
    place(entry, entries.length);
    deliver(entry);
  }

  function deliver(entry) {
    mark(entry, 'waiting');
    offer();
    queue = queue.then(() => attempt(entry));
  }

  async function attempt(entry) {
    if (await live?.speak?.(entry)) return;
    entry.left = true;
    const { clientMessageId, media, replyTo } = entry;
    const body = { sessionId: session(), text: entry.text, clientMessageId, language, replyTo, marketId, name, mediaUrls: media.map((m) => m.url) };
    for (const pause of [1_200, 4_000, 0]) {
      if (!navigator.onLine) return mark(entry, 'waiting');
      work(1);
      try {
        mark(entry, 'sending');
        return take(entry, await request('', body));
      } catch (error) {
        if (!pause || error.kind === 'refused') return mark(entry, 'failed', error);
        await wait(error.after || pause);
      } finally {
        work(-1);
      }
    }
  }

  function take(entry, { answer, response }) {
    write(OUT + entry.clientMessageId, null);
    mark(entry, 'sent');
    if (answer.messageId) listed.set(answer.messageId, Object.assign(entry, { rest: undefined }));
    if (response.status === 202) return void late(response.headers.get('location'));
    const said = String(answer.replyText ?? '').replace(/\n\n[○◐●][^\n]*$/, '').trim(); // the line is shown apart
    if (said) tellStanding(answer.standing);
    const index = entries.indexOf(entry) + 1;
    const there = entries.slice(index).some((e) => !e.own && (e.text.includes(said) || said.includes(e.text)));
    if (said && !there) place({ text: said, rest: said, media: [], at: Date.now(), state: 'sent' }, index);
    offer(answer.choices);
    pend(answer.pendingAction ?? null);
  }

  // Shows what can be chosen as buttons that say it, as long as nothing else was said.
  function offer(choices) {
    const taps = (choices ?? []).map(({ label, detail }) => button(label + (detail ? ` · ${detail}` : ''), () => { send(label, []); text.focus(); }));
    if (choose.textContent === taps.map((tap) => tap.textContent).join('')) return;
    if (taps.length === 0 && choose.contains(shadow.activeElement)) text.focus();
    choose.replaceChildren(...taps);
    choose.hidden = taps.length === 0;
    if (atEnd) toEnd();
  }

  // Shows how the conversation stands, in the server's words. What waits for an answer is shown with its buttons.
  function tellStanding({ kind, text: words } = {}) {
    const line = kind === 'waiting' ? '' : String(words ?? '');
    if (stands.textContent !== line) stands.textContent = line;
  }

  // A reply that takes longer than the server waits is read where it says.
  async function late(where) {
    const from = new URL(where ?? '', origin).searchParams.get('after') ?? undefined;
    const end = Date.now() + PATIENCE;
    work(1);
    for (let pause = 1_000; Date.now() < end; pause = Math.min(pause * 1.5, 5_000)) {
      await wait(pause);
      if (await read(from).catch((error) => error.kind === 'refused')) break;
    }
    work(-1);
  }

  function takeBack(entry) {
    write(OUT + entry.clientMessageId, null);
    entries.splice(entries.indexOf(entry), 1);
    entry.node.remove();
    text.value = [entry.text, text.value].filter(Boolean).join('\n');
    typed();
    text.focus();
  }

  // Shows what waits for an answer, unless it is too late for one or one waits here to be sent.
  function pend(action) {
    clearTimeout(ending);
    const end = Date.parse(action?.answerBy ?? action?.expiresAt);
    if (end <= now() || entries.some((e) => e.replyTo === action?.id && e.state !== 'sent')) action = null;
    if (action && end) ending = setTimeout(() => pend(asked), Math.min(end - now(), 60_000)); // clocks are set, and computers sleep
    if (asked?.id === action?.id) return;
    asked = action;
    write(PENDING, action && JSON.stringify(action));
    if (!action && ask.contains(shadow.activeElement)) text.focus();
    ask.hidden = !action;
    summary.textContent = String(action?.summary ?? '');
    until.textContent = end ? `(${say('until')} ${new Date(end).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short' })})` : '';
  }

  // Hears replies while they are said, where there are sockets: what that takes is loaded when the panel is opened.
  async function listen() {
    if (!LIVE || live) return;
    const now = live = {};
    try {
      const { hears } = await import(`${origin}/sara/live.js`);
      if (live === now) live = hears({ at: new URL(LIVE, origin), marketId, language, token: session(), entries, place, linked, show, note, read, watch, mark, work, tellStanding, offer, wait, follow: () => { if (atEnd) toEnd(); }, tail: () => tail, ahead: () => ahead, kept: (id) => write(OUT + id, null) });
    } catch { /* it looks for news, as without */ }
  }

  // --- reading ---

  // Reads on to the newest message, or once from a cursor, and reports whether the newest is Sara's.
  async function read(from) {
    let next = from ?? tail;
    let last = next ? (from === undefined ? newest : entries.findLast((e) => e.state === 'sent')) : undefined;
    let theirs = false;
    let chosen;
    const before = turns;
    for (let n = 0; n < 200; n++) {
      const { answer } = await request(`/messages?${new URLSearchParams({ limit: 50, marketId, ...(next && { after: next }) })}`);
      for (const message of answer.messages ?? []) {
        last = merge(message, last);
        theirs = !isOwn(message);
        if (theirs && !working) tellStanding(message.standing);
        chosen = theirs && message.choices || [];
      }
      // While something is under way, its answer is to say what is asked, or what was waited for.
      if (from === undefined ? !working && turns === before : theirs) {
        pend(answer.pendingAction ?? null);
        if (chosen) offer(chosen);
      }
      live?.settle?.();
      if (from === undefined) newest = last;
      if (!answer.next) break;
      next = answer.next;
      if (from === undefined) tail = next;
    }
    return theirs;
  }

  // Takes in a message behind the one that is listed before it, and returns its entry.
  function merge(message, previous) {
    let entry = recognise(message);
    if (!entry) {
      const { text: words, createdAt, media } = message;
      entry = { own: isOwn(message), text: String(words ?? ''), at: Date.parse(createdAt) || Date.now(), state: 'sent', media: media ?? [] };
      place(entry, entries.indexOf(previous) + 1);
    }
    listed.set(message.id, entry);
    return entry;
  }
  const isOwn = ({ direction }) => direction === 'inbound';

  // What is shown already as it was written here or came in an answer, be it in parts, is not shown again.
  function recognise(message) {
    const said = String(message.text ?? '').trim();
    const before = listed.get(message.id);
    if (before) return before;
    const old = Date.parse(message.createdAt) + 10_000 - ahead;
    const entry = entries.find((e) => e.rest !== undefined && !e.own === !isOwn(message) && !(e.at > old) && (e.own ? e.rest === said : said && e.rest.includes(said)));
    if (entry?.state === 'failed' && entry.error.kind !== 'refused' && !entry.stale) deliver(entry); // it did arrive: its answer is there for the asking
    if (entry) entry.rest = entry.rest.replace(said, '').trim() || undefined;
    return entry;
  }

  async function refresh() {
    if (!known()) return loaded = true; // nothing was said yet
    log.ariaLive = loaded ? 'polite' : 'off'; // what was said before is not announced as if it were new
    let fine = true;
    try {
      await read();
      loaded = true;
    } catch (error) {
      fine = loaded || error.kind === 'refused';
    }
    if (fine && earlier.contains(shadow.activeElement)) text.focus();
    earlier.hidden = fine;
    requestAnimationFrame(() => { log.ariaLive = 'polite'; });
  }

  function watch(pause) {
    clearTimeout(looking);
    if (live?.open && pause === QUICK) pause = SLOW; // what is said is heard
    looking = setTimeout(look, pause, pause);
  }

  // Closed, out of sight or cut off, it does not look; it is woken when that is over.
  async function look(pause) {
    clearTimeout(looking);
    if (!panel.open || document.hidden || !navigator.onLine) return;
    const known = listed.size;
    if (!working || !loaded) await refresh();
    watch(listed.size > known ? QUICK : Math.min(pause * 1.4, SLOW));
  }

  // --- photos ---

  const shrinks = (type) => /jpeg|png/.test(type);

  function add(list) {
    note('');
    for (const file of list) {
      const type = TYPES.find((t) => t === file.type) ?? (/\.hei[cf]$/i.test(file.name) ? 'image/heic' : '');
      if (!type || photos.length >= PHOTOS || file.size > BYTES && !shrinks(type)) note('limits');
      else upload(attach({ file, type, label: `${say('photo')} ${++counted}` }));
    }
  }

  function attach(photo) {
    photo.node = make('span', { className: 'none' }, photo.label);
    photo.bar = make('progress', { max: 1, value: 0, 'aria-label': `${say('sending')} ${photo.label}` });
    photo.again = button(`${say('retry')}: ${photo.label}`, () => { upload(photo); text.focus(); }, 'M4 12a8 8 0 1 0 3-6.200M4 3v4h4');
    photo.item = make('li', {}, photo.node, photo.bar, photo.again, button(`${say('remove')}: ${photo.label}`, () => detach(photo), 'm6 6 12 12M6 18 18 6'));
    photos.push(photo);
    thumbs.append(photo.item);
    return photo;
  }

  function detach(photo) {
    photos = photos.filter((p) => p !== photo);
    photo.xhr?.abort();
    photo.item.remove();
    text.focus();
    proceed();
  }

  function stand(photo, state) {
    photo.state = state;
    photo.item.classList.toggle('failed', state === 'failed');
    photo.bar.hidden = state !== 'up';
    photo.again.hidden = state !== 'failed';
  }

  async function upload(photo) {
    stand(photo, 'up');
    try {
      const blob = photo.blob ??= await prepare(photo);
      if (blob.size > BYTES) throw { kind: 'limits' };
      const { answer } = await request('/photos', { sessionId: session(), contentType: blob.type, size: blob.size, marketId });
      if (photos.includes(photo)) await put(photo, answer, blob);
      photo.url = String(answer.mediaUrl);
      stand(photo, 'done');
    } catch (error) {
      stand(photo, 'failed');
      if (photos.includes(photo)) note(error.kind === 'limits' ? 'limits' : 'failed');
    }
    proceed();
  }

  /** Draws the photo small, and makes a large one smaller, which also takes out where it was taken. */
  async function prepare(photo) {
    const { file, type } = photo;
    const whole = file.type === type ? file : file.slice(0, file.size, type);
    const bitmap = await createImageBitmap(whole).catch(() => null);
    if (!bitmap) return whole; // such as HEIC: most browsers cannot draw it
    const { width, height } = bitmap;
    const side = Math.min(width, height);
    const small = make('canvas', { width: 128, height: 128, role: 'img', 'aria-label': photo.label });
    small.getContext('2d').drawImage(bitmap, (width - side) / 2, (height - side) / 2, side, side, 0, 0, 128, 128);
    photo.node.replaceWith(small);
    photo.node = small;
    const scale = Math.min(1, PIXELS / Math.max(width, height));
    if (!shrinks(type) || scale === 1 && whole.size <= BYTES) return whole;
    const canvas = make('canvas', { width: width * scale, height: height * scale });
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => { canvas.toBlob(resolve, 'image/jpeg', 0.85); }) ?? whole;
  }

  function put(photo, { uploadUrl, method, headers }, blob) {
    return new Promise((resolve, reject) => {
      const xhr = photo.xhr = new XMLHttpRequest(); // fetch tells no progress
      xhr.open(method ?? 'PUT', new URL(uploadUrl, origin));
      for (const [key, value] of Object.entries(headers ?? {})) xhr.setRequestHeader(key, value);
      xhr.upload.onprogress = ({ loaded: sent, total }) => { photo.bar.value = sent / total; };
      xhr.onload = () => (xhr.status < 300 ? resolve() : reject({ kind: 'server' }));
      xhr.onerror = xhr.onabort = xhr.ontimeout = () => reject({ kind: 'network' });
      xhr.timeout = 180_000;
      xhr.send(blob);
    });
  }

  /** Sends the message that only waited for its photos. */
  function proceed() {
    if (eager && !photos.some((p) => p.state === 'up')) submit();
  }

  // --- what the customer does ---

  function submit(event) {
    event?.preventDefault();
    note('');
    const words = text.value.trim();
    eager = photos.some((p) => p.state === 'up');
    if (eager) return show();
    if (photos.some((p) => p.state === 'failed')) return note('failed');
    if (!words && !photos.length) return;
    const media = photos.map(({ node, url }) => ({ node, url }));
    [photos, counted, text.value] = [[], 0, ''];
    thumbs.replaceChildren();
    typed();
    send(words, media);
    text.focus();
  }

  function typed() {
    text.dir = text.value ? 'auto' : '';
    text.style.height = 'auto';
    text.style.height = `${text.scrollHeight + 2}px`;
    show();
    write(DRAFT, text.value || null);
  }

  function open() {
    if (matchMedia('(max-width: 480px)').matches) panel.showModal(); else panel.show();
    launch.hidden = true;
    typed();
    toEnd();
    if (matchMedia('(hover: hover) and (pointer: fine)').matches) text.focus(); // elsewhere it would open a keyboard
    listen();
    look(QUICK);
  }

  function resume() {
    show();
    if (!navigator.onLine) return;
    live?.wake?.();
    look(QUICK);
    for (const entry of entries) if (entry.state === 'waiting' || entry.error?.kind === 'network' && !entry.stale) deliver(entry);
    for (const photo of photos) if (photo.state === 'failed') upload(photo);
  }

  panel.addEventListener('close', () => {
    launch.hidden = false;
    launch.focus();
    live?.close?.();
    live = undefined;
    show();
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) { event.preventDefault(); panel.close(); }
  });
  text.addEventListener('keydown', (event) => {
    // An Enter that ends the composition of a character (IME) is not meant for us.
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && event.keyCode !== 229) submit(event);
  });
  text.addEventListener('input', () => { note(''); typed(); });
  text.addEventListener('paste', (event) => {
    const { files: pasted } = event.clipboardData;
    if (pasted.length) { event.preventDefault(); add(pasted); }
  });
  for (const type of ['dragover', 'dragleave', 'drop']) {
    panel.addEventListener(type, (event) => {
      if (!event.dataTransfer.types.includes('Files')) return;
      event.preventDefault();
      panel.classList.toggle('drop', type === 'dragover');
      if (type === 'drop') add(event.dataTransfer.files);
    });
  }
  // The page's own keys are not for what is typed here.
  for (const type of ['keydown', 'keypress', 'keyup']) root.addEventListener(type, (event) => event.stopPropagation());
  addEventListener('online', resume);
  addEventListener('offline', resume);
  document.addEventListener('visibilitychange', () => { look(QUICK); });

  function start() {
    paint();
    document.body.append(host);
    for (const { clientMessageId, text: words, replyTo, mediaUrls, at } of kept()) {
      const stale = Date.now() - at > STALE;
      const media = mediaUrls.map((url) => ({ url }));
      place({ own: true, left: true, text: words, rest: words, replyTo, media, at, clientMessageId, stale, state: stale ? 'failed' : 'waiting', error: { kind: 'network' } }, entries.length);
    }
    pend(parse(recall(PENDING)));
    resume();
  }
  if (document.body) start(); else addEventListener('DOMContentLoaded', start);
})();
