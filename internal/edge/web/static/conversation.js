// One conversation with Merve: who this device is, what was said, what waits for an answer.
// It speaks to the server and remembers; it draws nothing.
//
// What it promises:
// - A message has one clientMessageId from the moment it is written. It is kept until it is
//   answered, over reloads too, and always sent with that id, so it never counts twice.
// - Messages leave in the order they were written.
// - What the server has stored and what this device still shows are matched, never doubled.
// - What fails for a passing reason is tried again, less and less often, and never before the
//   server said it may be.
// - While the page is looked at, news is looked for, less and less often while there is none.
// - Where there is a socket, words are shown as they are said. What counts is read in the thread when they
//   are: the socket only makes it sooner, and without it all is as it was.

import { Socket } from './socket.js';
import { OUTBOX, outbox, random, read, store, write } from './store.js';

/** The most characters (code points) a message may have. */
export const LIMIT = 4000;

const SESSION = 'merve.session';

const PAGE = 50;      // messages read at once
const NEWS = 8;       // messages read to see whether there are new ones
const CATCH_UP = 200; // pages read in a row, at most

const GATEWAY = 60_000;       // the server answers, 202 at the least, well before this
const PATIENCE = 10 * 60_000; // how long a late reply is waited for
const HEAD_START = 1_500;     // after this long a message has been taken in, and the next may leave
const STALE = 60 * 60_000;    // unsent for longer than this, a message found at the start is not sent unasked
const QUICK = 3_000;          // between two looks for news, right after some
const SLOW = 15_000;          // and when there has been none for a while
const NOTICED = 1_200;        // a reply that takes longer than this is asked after: what Merve does,
const LOOK = 1_500;           // and again after this
const AGAIN = [6_000, 15_000, 30_000, 60_000, 120_000, 300_000]; // before a message is tried again unasked

/** A request that did not do what it should. `kind` is one of network, server, busy, refused, lost. */
class Failure extends Error {
  constructor(kind, { detail = '', traceId = '', after = 0 } = {}) {
    super(kind);
    Object.assign(this, { kind, detail, traceId, after });
  }

  /** Whether the same request may well succeed in a moment. */
  get passing() { return this.kind === 'network' || this.kind === 'server' || this.kind === 'busy'; }
}

/**
 * An entry of the conversation is {key, direction, text, media, cards, choices, mapLocation, standing, at, status},
 * and has an id once the server's is known. Own ones have clientMessageId, and a status: sending,
 * waiting (for a connection), failed (then error says why), sent.
 *
 * The view is told: added(entry), changed(entry), removed(entry), settled(first) after a load, when
 * the first brings everything at once, pending(action or null, expired), busy(boolean), doing(tools),
 * told(words of what is being done), speaking(boolean).
 */
export class Conversation {
  entries = [];
  pending = null;

  #view;
  #session; // {id, threadId once known, pending}, as stored on this device
  #closed = new AbortController();
  #turnstile = Promise.resolve(); // resolves when the next message may leave
  #working = 0;    // messages under way
  #task;           // is aborted when none is any more
  #offset = 0;     // server's clock minus ours, ms
  #written = 0;    // own messages, counted
  #answered = 0;   // the latest of them whose answer was taken in
  #silent = false; // the view is told at the end of a load, not of each message
  #loaded = false; // what was said has been read to its end at least once
  #older = null;   // cursor to the page before the oldest message shown
  #tail = null;    // cursor to the last page, where the server reads on only from the oldest message
  #reading = null; // the reading of the newest messages that is under way
  #fresh = 0;      // messages taken in that were not known, counted
  #watching;       // timer of the next look for news
  #mute = false;   // the server does not say what it does
  #language = 'en';
  #socket;         // hears what is said, where that can be
  #named;          // the thread, as the socket names it before there is one
  #growing = null; // the entry of a reply that is being said
  #event = Promise.withResolvers(); // of the socket, the next that somebody may wait for

  constructor(view) {
    this.#view = view;
    this.#session = this.#remembered();
    this.pending = this.#session.pending ?? null;
    for (const kept of outbox()) {
      const entry = this.#own(kept);
      entry.left = true; // maybe: the request finds out
      entry.stale = Date.now() - entry.written > STALE;
      if (entry.stale) Object.assign(entry, { status: 'failed', error: new Failure('network') });
      this.entries.push(entry);
    }
  }

  /** Forgets the conversation on this device; the next one is somebody new. */
  static forget() {
    store.remove(SESSION);
    for (const kept of outbox()) store.remove(OUTBOX + kept.clientMessageId);
  }

  /** Whether key of the device's storage tells which conversation this is. */
  static keeps(key) { return key === null || key === SESSION; }

  /** Whether the device's storage now holds another conversation, begun in another window. */
  get replaced() { return read(SESSION)?.id !== this.#session.id; }

  /** The time on the server's clock, ms. */
  get now() { return Date.now() + this.#offset; }

  get hasOlder() { return this.#older !== null; }

  get language() { return this.#language; }

  set language(language) {
    if (language === this.#language) return;
    this.#language = language;
    this.#socket?.renew();
  }

  /** Hears replies while they are said. live is where the sockets are, as the health check tells. */
  connect(live) {
    if (this.#socket || this.#closed.signal.aborted) return;
    this.#socket = new Socket(() => {
      const url = new URL(live, location.href);
      const fields = { agentId: 'merve', token: this.#session.id, language: this.#language };
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
      return url;
    }, {
      frame: (frame, words, late) => this.#hear(frame, words, late),
      open: (on) => {
        if (on) return;
        this.#view.speaking(false);
        this.#happened('lost');
      },
    });
  }

  /** Has the reply that is being said end here. */
  stop() { this.#socket?.send({ type: 'barge_in' }); }

  /** Stops all that is under way; nothing is told to the view any more. */
  close() {
    this.#closed.abort();
    this.#task?.abort();
    this.#socket?.close();
    for (const entry of this.entries) clearTimeout(entry.timer);
    clearTimeout(this.#watching);
    this.#view = { added() {}, changed() {}, removed() {}, settled() {}, pending() {}, busy() {}, doing() {}, told() {}, speaking() {} };
  }

  /** Asks the server how it is, and so learns its time too. */
  async health() { return json(await this.#request('healthz')); }

  /** Reads what was said last, then sends what is still unsent. */
  async open() {
    try {
      if (this.#session.threadId) await this.refresh();
      else this.#loaded = true; // it begins here: nothing to read yet
    } finally {
      this.resume();
      this.#watch(QUICK);
    }
  }

  /** Looks for news now, and from now on often again: somebody looks at the page. */
  wake() {
    this.#socket?.wake();
    clearTimeout(this.#watching);
    return this.#look(QUICK);
  }

  /** Reads the newest messages. */
  refresh() {
    this.#reading ??= this.#refresh().finally(() => { this.#reading = null; });
    return this.#reading;
  }

  async #refresh() {
    if (!this.#session.threadId || this.#working) return;
    const written = this.#written;
    const first = this.#silent = !this.#loaded;
    try {
      if (!(await this.#readBack())) await this.#readOn();
      this.#loaded = true;
      if (written === this.#written) this.#dropProvisional();
      this.#settle();
    } finally {
      this.#silent = false;
      this.#view.settled(first);
    }
  }

  /** Reads the page before the oldest message shown. */
  async earlier() {
    if (!this.hasOlder) return;
    this.#older = (await this.#page({ before: this.#older })).previous;
    this.#view.settled(false);
  }

  /**
   * Sends text. Extra fields go with it: button and replyTo when a pending action is answered,
   * media ([{url, contentType, thumb}]) and location ({lat, lng}).
   */
  send(text, extra = {}) {
    const kept = { clientMessageId: random(16), text, written: Date.now(), ...extra };
    write(OUTBOX + kept.clientMessageId, kept);
    const entry = this.#own(kept);
    this.entries.push(entry);
    this.#view.added(entry);
    this.#deliver(entry);
    return entry;
  }

  /** Asks where a photo may be put: {uploadUrl, method, headers, mediaUrl}. */
  async photo(contentType, size) {
    return json(await this.#request('chat/photos', posted({ sessionId: this.#session.id, contentType, size })));
  }

  /** Sends entry again, as the message it was. */
  retry(entry) {
    if (entry.status !== 'failed' && entry.status !== 'waiting') return;
    entry.tries = 0;
    this.#deliver(entry);
  }

  /** Sends again whatever only lacked a connection. */
  resume() {
    for (const entry of this.entries) {
      const cut = entry.status === 'failed' && entry.error.passing && entry.error.kind !== 'busy' && !entry.stale;
      if (entry.status === 'waiting' || cut) this.retry(entry);
    }
  }

  /** Takes back a message that is kept here. */
  drop(entry) {
    clearTimeout(entry.timer);
    store.remove(OUTBOX + entry.clientMessageId);
    this.#remove(entry);
  }

  /** Answers the pending action: choice is yes or no, word is how the customer says it. */
  answer(choice, word) {
    const replyTo = this.pending.id;
    const button = `${choice}:${replyTo}`;
    let before;
    for (const e of this.entries.filter((e) => e.replyTo === replyTo && e.status !== 'sent')) {
      if (e.button === button) before = e;
      else if (!e.leaving) this.drop(e); // of two answers the last is meant
    }
    if (before) this.retry(before); // the same answer again is the same message
    else this.send(word, { button, replyTo });
  }

  /** How the conversation stands, as the server said beside its last reply. */
  get standing() { return this.entries.findLast((e) => e.direction === 'outbound')?.standing; }

  /** Whether an answer to the pending action is on its way. */
  get answering() {
    return this.entries.some((e) => e.replyTo && e.replyTo === this.pending?.id && e.status === 'sending');
  }

  /** When the pending action can no longer be answered, on the server's clock, ms. */
  get deadline() { return deadlineOf(this.pending); }

  /** Puts the pending action away once its time is over. */
  expire() {
    this.#setPending(null, true);
    this.refresh().catch(() => {}); // only to see sooner what the server says of it
  }

  // --- sending ---

  // Unasked, what failed is tried again behind the scenes: it is shown as it was until that changes.
  async #deliver(entry, unasked = false) {
    clearTimeout(entry.timer);
    if (!unasked) this.#change(entry, navigator.onLine ? 'sending' : 'waiting');
    if (!navigator.onLine || entry.leaving) return;
    entry.leaving = true;

    this.#work(1);
    const before = this.#turnstile;
    let leave;
    this.#turnstile = new Promise((resolve) => { leave = resolve; });
    try {
      await before;
      setTimeout(leave, HEAD_START);
      const answer = await this.#speak(entry, leave) ?? await this.#post(entry);
      entry.leaving = false;
      this.#take(entry, answer);
    } catch (error) {
      entry.leaving = false;
      this.#fail(entry, error);
    } finally {
      leave();
      this.#work(-1);
    }
  }

  // Sends entry by the socket and reads in the thread what was answered, once that was said. Undefined where that
  // cannot be or the socket breaks: then it is asked by request, as the same message.
  async #speak(entry, leave) {
    const { clientMessageId: id, text, button, replyTo } = entry;
    if (entry.left || !text || entry.media.length || entry.location) return undefined;
    if (!this.#socket?.send({ type: 'message', id, text, button, replyTo })) return undefined;
    entry.left = true;
    leave(); // the socket keeps the order
    for (;;) {
      const event = await Promise.race([this.#event.promise, this.#wait(GATEWAY)]);
      if (event !== 'final' || !this.#session.threadId) return undefined;
      const query = new URLSearchParams({ limit: NEWS, before: 'latest' });
      const body = await json(await this.#request(`${this.#path}/messages?${query}`));
      const taken = this.entries.map((e) => e !== entry && e.id);
      const own = list(body.messages).find((m) => directionOf(m) === 'inbound' && textOf(m).trim() === text.trim()
        && this.#timeOf(m) > entry.at - 10_000 && !taken.includes(m.id));
      if (own?.status === 'answered') return { ...body, messageId: own.id };
    }
  }

  // A connection that broke in between is the commonest failure on the road: one more try, unseen.
  async #post(entry) {
    const body = { message: entry.text, sessionId: this.#session.id, language: this.language, clientMessageId: entry.clientMessageId };
    if (entry.button) Object.assign(body, { button: entry.button, replyTo: entry.replyTo });
    if (entry.media.length) body.attachments = entry.media.map(({ url, contentType }) => ({ url, contentType }));
    if (entry.location) body.location = entry.location;
    const request = posted(body);
    entry.left = true;
    for (let last = false; ; last = true) {
      try {
        const response = await this.#request('chat/message', request);
        return response.status === 202 ? await this.#late(response) : await json(response);
      } catch (error) {
        if (last || !error.passing || error.after > 5_000 || !navigator.onLine) throw error;
        await this.#wait(error.after || 1_200);
      }
    }
  }

  // A reply that takes longer than the server waits is fetched where it says: from a listing of the thread, or as
  // the answer itself. Only from the server itself: the request carries the session.
  async #late(response) {
    const url = new URL(response.headers.get('location') ?? '', response.url);
    if (url.origin !== location.origin) throw new Failure('server');
    const accepted = await json(response).catch(() => ({}));
    if (accepted.threadId) this.#session.threadId = accepted.threadId;
    this.#remember();
    const until = Date.now() + PATIENCE;
    for (let pause = 1_000; Date.now() < until; pause = Math.min(pause * 1.5, 5_000)) {
      await this.#wait(seconds(response) || pause);
      try {
        response = await this.#request(url);
      } catch (error) {
        if (!error.passing) throw error;
        continue;
      }
      const body = response.status === 200 ? await json(response) : {};
      const own = list(body.messages).find((m) => m?.id === accepted.messageId);
      if (typeof body.reply === 'string' || own?.status === 'answered') return { ...accepted, ...body };
    }
    throw new Failure('network');
  }

  #take(entry, answer) {
    store.remove(OUTBOX + entry.clientMessageId);
    if (answer.messageId) entry.id ??= String(answer.messageId);
    this.#change(entry, 'sent');
    if (answer.threadId) this.#session.threadId = answer.threadId;
    if (list(answer.messages).length) this.#merge(answer.messages);
    else this.#reply(entry, answer);
    this.#settle();
    // The answer to an older message, come late or again, does not know what is pending by now.
    if (entry.number > this.#answered) {
      this.#answered = entry.number;
      this.#setPending(answer.pendingAction ?? null);
    }
    this.#remember();
  }

  // Shows the reply to entry. It may stand there already: one turn answers several messages with one reply, and
  // the first answer comes again to a message that is sent again.
  #reply(entry, { reply, cards, choices, mapLocation, standing }) {
    const heard = this.#growing;
    if (heard && reply?.startsWith(heard.text)) {
      this.#growing = null;
      Object.assign(heard, { text: reply, cards: list(cards), choices, mapLocation, standing, growing: false });
      return this.#change(heard, 'sent');
    }
    const after = this.entries.slice(this.entries.indexOf(entry) + 1).filter((e) => e.direction === 'outbound');
    if ((!reply && !list(cards).length) || says(after, reply)) return;
    this.#place({
      key: random(8), direction: 'outbound', text: String(reply ?? ''), at: this.now, status: 'sent', media: [], cards: list(cards), choices, mapLocation, standing,
    });
  }

  #fail(entry, error) {
    const before = entry.status === 'failed' ? entry.error.kind : '';
    entry.error = error instanceof Failure ? error : new Failure('server');
    const status = entry.error.kind === 'network' && !navigator.onLine ? 'waiting' : 'failed';
    const pause = AGAIN[entry.tries];
    if (status === 'failed' && entry.error.passing && pause && !this.#closed.signal.aborted) {
      entry.tries++;
      entry.timer = setTimeout(() => this.#deliver(entry, true), Math.max(entry.error.after, pause * (0.8 + Math.random() * 0.4)));
    }
    if (status !== entry.status || before !== entry.error.kind) this.#change(entry, status);
  }

  // --- what is heard ---

  #hear(frame, words, late) {
    switch (frame.type) {
      case 'token': return this.#grow(words);
      case 'status': return this.#view.told(textOf(frame));
      case 'speaking': return this.#view.speaking(frame.speaking === true);
      case 'message': return this.#overhear(frame);
      case 'final': return late || this.#finish(frame); // the final of a later turn had the thread read
      case 'error': return this.#happened('error');
      case 'resync': return this.#resume(frame);
    }
  }

  #grow(words) {
    if (this.#growing) this.#growing.text = words;
    else {
      this.#growing = { key: random(8), direction: 'outbound', text: words, at: this.now, status: 'sent', media: [], cards: [], growing: true };
      this.#place(this.#growing);
    }
    this.#change(this.#growing, 'sent');
  }

  // The whole reply was said: what counts of it stands in the thread now.
  #finish(frame) {
    this.#session.threadId ??= this.#named;
    this.#view.speaking(false);
    if (this.#growing) Object.assign(this.#growing, { text: textOf(frame) || this.#growing.text, over: true });
    this.#happened('final');
    this.refresh().catch(() => {}); // looked at again soon
  }

  // What was said in another window, or here before it was loaded again.
  #overhear(frame) {
    const at = Date.parse(frame.at) || this.now;
    const known = this.entries.some((e) => e.direction === 'inbound' && (e.clientMessageId === frame.id
      || !e.clientMessageId && e.text.trim() === textOf(frame).trim() && Math.abs(e.at - at) < 10_000));
    if (known) return;
    this.#place({ key: random(8), clientMessageId: frame.id, direction: 'inbound', text: textOf(frame), at, status: 'sent', media: [], cards: [] });
  }

  #resume(frame) {
    this.#named = frame.state?.threadId;
    if (!frame.gap) return;
    if (this.#growing) this.#growing.over = true;
    this.refresh().catch(() => {}); // looked at again soon
  }

  // Wakes those who wait for the socket.
  #happened(event) {
    const { resolve } = this.#event;
    this.#event = Promise.withResolvers();
    resolve(event);
  }

  // What was heard and is over stands there as the thread has it, or in other words.
  #settle() {
    for (const entry of this.entries.filter((e) => e.growing)) {
      if (entry.id !== undefined) entry.growing = false;
      else if (entry.over || entry !== this.#growing) this.#remove(entry);
      else continue;
      if (entry === this.#growing) this.#growing = null;
      if (!entry.growing) this.#change(entry, 'sent');
    }
  }

  // --- news, and what Merve does ---

  #watch(pause) {
    clearTimeout(this.#watching);
    if (this.#socket?.open) pause = Math.max(pause, SLOW); // what is said is heard
    if (!this.#closed.signal.aborted) this.#watching = setTimeout(() => this.#look(pause), pause);
  }

  // Hidden or cut off, the page does not look; it is woken when that is over.
  async #look(pause) {
    if (document.hidden || !navigator.onLine) return;
    const known = this.#fresh;
    let next = Math.min(pause * 1.4, SLOW);
    try {
      await this.refresh();
      if (this.#fresh > known || this.#working) next = QUICK;
    } catch (error) {
      next = Math.max(SLOW, error.after ?? 0);
    }
    this.#watch(next);
  }

  // Asks what is being done for as long as something is.
  async #follow(signal) {
    try {
      await this.#wait(NOTICED, signal);
      while (!this.#mute) {
        if (this.#session.threadId && !this.#growing) {
          const body = await json(await this.#request(`${this.#path}/activity`));
          if (!signal.aborted) this.#view.doing(list(body.doing).map(String));
        }
        await this.#wait(LOOK, signal);
      }
    } catch (error) {
      if (error.kind === 'lost') this.#mute = true;
    }
  }

  // --- reading ---

  // Reads from the newest message back to what is known, and reports whether the server can. The first time one
  // page will do; the rest waits until it is asked for.
  async #readBack() {
    if (this.#tail !== null) return false;
    let page = await this.#page({ limit: this.#loaded ? NEWS : PAGE, before: 'latest' });
    if (page.next !== null) {
      this.#tail = '';
      await this.#readOn(page);
      return true;
    }
    if (!this.#loaded) this.#older = page.previous;
    for (let n = 1; this.#loaded && !page.known && page.previous !== null && n < CATCH_UP; n++) page = await this.#page({ before: page.previous });
    return true;
  }

  // Reads on to the newest message, from the page that was the last one, or from the one just read.
  async #readOn(page) {
    page ??= await this.#page({ after: this.#tail });
    for (let n = 1; page.next !== null && n < CATCH_UP; n++) {
      this.#tail = page.next;
      page = await this.#page({ after: page.next });
    }
  }

  // Takes in one page. `known` says whether it has anything that was shown already; `next` and `previous` lead on.
  async #page(cursor) {
    const query = new URLSearchParams({ limit: PAGE, ...cursor });
    const written = this.#written;
    let body;
    try {
      body = await json(await this.#request(`${this.#path}/messages?${query}`));
    } catch (error) {
      if (error.kind !== 'lost') throw error;
      body = {}; // the server does not know the thread: begin again in silence
      delete this.#session.threadId;
    }
    const known = this.#merge(list(body.messages));
    if (written === this.#written && ('pendingAction' in body || 'state' in body)) this.#setPending(body.pendingAction);
    this.#remember();
    return { known, next: body.next || null, previous: body.previous || null };
  }

  get #path() { return `chat/threads/${encodeURIComponent(this.#session.threadId)}`; }

  // A reply shown as it came has no id. Once the thread has been read to its end, it stands there with one, as
  // the server lists it; what was not recognised then was the same thing in other parts.
  #dropProvisional() {
    for (const entry of this.entries.filter((e) => e.direction === 'outbound' && e.id === undefined && !e.growing)) this.#remove(entry);
  }

  // Takes in messages, oldest first, as the server has them. One that is shown already, be it only as it was
  // written here, is that one, and takes the server's time. Reports whether any was.
  #merge(listed) {
    const messages = listed.filter((m) => m && typeof m === 'object');
    const known = messages.map((message) => this.#recognise(message));
    let previous;
    messages.forEach((message, i) => {
      const entry = known[i] ?? {
        key: random(8), id: message.id, direction: directionOf(message), text: textOf(message), at: this.#timeOf(message),
        status: 'sent', media: list(message.media), cards: list(message.cards), choices: message.choices, mapLocation: message.mapLocation, standing: message.standing,
      };
      if (!known[i]) this.#fresh++;
      this.#place(entry, previous);
      previous = entry;
    });
    return known.some(Boolean);
  }

  #recognise(message) {
    const at = this.#timeOf(message);
    const candidates = this.entries.filter((e) => e.direction === directionOf(message));
    const entry = candidates.find((e) => e.id !== undefined && e.id === message.id)
      ?? candidates.find((e) => message.clientMessageId && e.clientMessageId === message.clientMessageId)
      ?? candidates.find((e) => e.id === undefined && e.text.trim() === textOf(message).trim() && at > e.at - 10_000)
      ?? candidates.find((e) => e.id === undefined && e.growing && textOf(message).startsWith(e.text) && at > e.at - 10_000);
    if (!entry) return undefined;
    const found = entry.id === undefined;
    Object.assign(entry, { id: message.id, at });
    if (entry.growing) Object.assign(entry, { text: textOf(message), cards: list(message.cards), choices: message.choices, mapLocation: message.mapLocation, standing: message.standing });
    if (found && entry.status === 'failed' && entry.error.passing && !entry.stale) this.retry(entry); // it did arrive: its answer is there for the asking
    return entry;
  }

  // Puts entry where its time belongs, behind previous when the two are of the same instant.
  #place(entry, previous) {
    const { entries } = this;
    const from = entries.indexOf(entry);
    if (from >= 0) {
      const misplaced = entries[from - 1]?.at > entry.at || entries[from + 1]?.at < entry.at || entries.indexOf(previous) > from;
      if (!misplaced) return;
      this.#remove(entry);
    }
    let to = entries.length;
    while (to > 0 && entries[to - 1].at > entry.at) to--;
    entries.splice(to, 0, entry);
    if (!this.#silent) this.#view.added(entry);
  }

  #remove(entry) {
    this.entries.splice(this.entries.indexOf(entry), 1);
    this.#view.removed(entry);
  }

  #timeOf(message) { return Date.parse(message.createdAt) || this.now; }

  // --- talking to the server ---

  async #request(path, { headers = {}, ...init } = {}) {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(GATEWAY)]);
    let response;
    try {
      response = await fetch(path, { ...init, signal, cache: 'no-store', headers: { accept: 'application/json', 'x-session-id': this.#session.id, ...headers } });
    } catch {
      throw new Failure('network');
    }
    this.#compare(Date.parse(response.headers.get('date')));
    if (response.ok) return response;
    const problem = await response.json().catch(() => null) ?? {};
    throw new Failure(kindOf(response.status), {
      detail: String(problem.detail ?? ''),
      traceId: String(problem.traceId ?? response.headers.get('x-trace-id') ?? ''),
      after: seconds(response),
    });
  }

  // Sets our clock by the server's. What we timed ourselves moves along, so that it keeps its place among
  // what the server timed.
  #compare(date) {
    const shift = date + 500 - this.now; // the header has whole seconds: half of one is its mean error
    if (!(Math.abs(shift) > 1_500)) return;
    this.#offset += shift;
    for (const entry of this.entries) if (entry.id === undefined) entry.at += shift;
  }

  #wait(ms, signal = this.#closed.signal) {
    return new Promise((resolve, reject) => {
      const stop = () => { clearTimeout(timer); reject(new Failure('network')); };
      const timer = setTimeout(() => { signal.removeEventListener('abort', stop); resolve(); }, ms);
      signal.addEventListener('abort', stop);
    });
  }

  // --- keeping ---

  #own({ clientMessageId, text, written, button, replyTo, media, location }) {
    return {
      key: clientMessageId, clientMessageId, direction: 'inbound', text, written, at: written + this.#offset, button, replyTo,
      media: list(media), location, cards: [], status: 'waiting', number: ++this.#written, tries: 0,
    };
  }

  #remembered() {
    const kept = read(SESSION);
    if (typeof kept?.id === 'string' && kept.id.length >= 22) return kept;
    const fresh = { id: random(24) };
    write(SESSION, fresh);
    return fresh;
  }

  #remember() {
    if (!this.replaced) write(SESSION, { ...this.#session, pending: this.pending });
  }

  #setPending(action, expired = false) {
    const open = typeof action?.id === 'string' && !(deadlineOf(action) <= this.now);
    this.pending = open ? action : null;
    this.#remember();
    this.#view.pending(this.pending, expired);
  }

  #change(entry, status) {
    entry.status = status;
    this.#view.changed(entry);
  }

  #work(more) {
    const idle = this.#working === 0;
    this.#working += more;
    if (idle) this.#follow((this.#task = new AbortController()).signal);
    if (this.#working === 0) {
      this.#task.abort();
      this.#watch(QUICK);
    }
    this.#view.busy(this.#working > 0);
  }
}

function deadlineOf(action) { return Date.parse(action?.answerBy ?? action?.expiresAt ?? ''); }

function kindOf(status) {
  switch (status) {
    case 401: case 403: case 404: return 'lost';
    case 408: case 502: case 504: return 'network';
    case 429: case 503: return 'busy';
  }
  return status < 500 ? 'refused' : 'server';
}

async function json(response) {
  try {
    const body = await response.json();
    if (body && typeof body === 'object') return body;
  } catch { /* cut off, or no JSON at all: said below */ }
  throw new Failure('network');
}

function posted(body) {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function seconds(response) { return (Number(response.headers.get('retry-after')) || 0) * 1000; }

/** Whether entries, or some that follow each other, say reply. */
function says(entries, reply) {
  for (let i = 0; i < entries.length; i++) {
    for (let j = i, said = ''; j < entries.length && said.length < reply.length; j++) {
      said += (j > i ? '\n\n' : '') + entries[j].text;
      if (said === reply) return true;
    }
  }
  return false;
}

function directionOf(message) { return message.direction === 'inbound' ? 'inbound' : 'outbound'; }

function textOf(message) { return typeof message.text === 'string' ? message.text : ''; }

function list(value) { return Array.isArray(value) ? value : []; }
