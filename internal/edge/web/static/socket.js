// The socket of a live conversation: what a page hears while an assistant speaks.
//
// What it promises a page:
// - It stays open: it is renewed before the gateway closes it, speaks before it is silent for too long, and
//   connects again after a drop, less and less often while that fails.
// - A frame is told once, however often it comes, and the words of a turn are in the order of their numbers.
// - The final of a turn is told also where that of a later one was faster.
// - What was missed comes after a drop, or a gap is told: then the page reads the conversation anew.
// - Where something is expected and nothing comes, it asks for it.

const RENEW = 110 * 60_000;  // the gateway closes a connection after two hours,
const PING = 5 * 60_000;     // and one that is silent for ten minutes
const SILENCE = 20_000;      // after this long something was lost
const OPENING = 15_000;      // for a connection to open
const [FIRST, LAST] = [500, 30_000]; // before it connects again, at first and in the end
const MOST = 5;              // times that it tries where it never could

export class Socket {
  open = false;
  #address; // () => URL
  #on;      // {frame(frame, words), open(boolean)}
  #ws;
  #last = 0;           // number of the latest frame
  #settled = 0;        // and of the latest final: of what is before, nothing is news but another final
  #seen = new Map();   // finals, and all frames behind that: number to type
  #words = new Map();  // number to [turn, piece], of turns that run
  #expects = false;
  #failed = 0;
  #opened = false; // at least once
  #over = false;
  #timers = {};

  /**
   * address gives where to connect, each time; on is told {frame(frame, words, late), open(boolean), refused()}: words are
   * all of the frame's turn, and late says that a later turn was finished before.
   */
  constructor(address, on) {
    [this.#address, this.#on] = [address, on];
    this.#connect();
  }

  /** Number of the latest frame. */
  get last() { return this.#last; }

  /** Sends what a client may send; false where that cannot be, now. */
  send(message) {
    if (!this.open) return false;
    if (message.type === 'message') this.#expect(true);
    this.#ws.send(JSON.stringify(message));
    return true;
  }

  /** Has it told how the conversation stands, and what was missed. */
  resync() { return this.send({ type: 'resync', lastEventId: this.#last }); }

  /** Connects at once where it is not, or finds out whether it is. */
  wake() {
    if (this.#over) return;
    if (this.open) this.#ping();
    else if (!this.#ws) this.#connect();
  }

  /** Connects anew, as the address is now. */
  renew() {
    this.#failed = 0;
    if (this.#ws) this.#drop(this.#ws);
  }

  close() {
    this.#over = true;
    for (const name of Object.keys(this.#timers)) this.#clear(name);
    this.#ws?.close();
    this.open = false;
  }

  #connect() {
    this.#clear('again');
    const url = new URL(this.#address());
    url.protocol = url.protocol.replace('http', 'ws');
    if (this.#last) url.searchParams.set('lastEventId', this.#last);
    let ws;
    try {
      ws = new WebSocket(url);
    } catch {
      this.#ws = undefined;
      return this.#again(); // the page's policy does not let it
    }
    this.#ws = ws;
    this.#set('opening', OPENING, () => this.#drop(ws));
    ws.onopen = () => {
      this.#clear('opening');
      this.open = this.#opened = true;
      this.#set('renew', RENEW, () => this.#renew());
      this.#set('ping', PING, () => this.#ping());
      this.#expect(this.#expects);
      this.#on.open(true);
    };
    ws.onmessage = ({ data }) => {
      if (ws === this.#ws && !this.#over) this.#take(JSON.parse(data));
    };
    ws.onclose = () => this.#drop(ws);
  }

  // What follows is heard by another connection; this one may still take its time to close.
  #drop(ws) {
    if (ws !== this.#ws || this.#over) return;
    const was = this.open;
    this.open = false;
    this.#ws = undefined;
    for (const name of Object.keys(this.#timers)) this.#clear(name);
    ws.close();
    this.#again();
    if (was) this.#on.open(false);
  }

  // Where it has never been open it is not asked for for ever: a page's policy may forbid it.
  #again() {
    if (!this.#opened && this.#failed >= MOST) return this.#on.refused?.();
    const pause = Math.min(LAST, FIRST * 2 ** this.#failed++) * (0.8 + Math.random() * 0.4);
    this.#set('again', pause, () => this.#connect());
  }

  // Not in the middle of a reply, if that can be.
  #renew() {
    if (this.#expects) this.#set('renew', SILENCE, () => this.renew());
    else this.renew();
  }

  #ping() {
    this.send({ type: 'ping' });
    const ws = this.#ws;
    this.#set('ping', PING, () => this.#ping());
    this.#set('pong', SILENCE, () => this.#drop(ws));
  }

  // While something is expected, silence is asked about, again and again.
  #expect(on) {
    this.#expects = on;
    this.#clear('silence');
    if (on && this.open) this.#set('silence', SILENCE, () => { this.resync(); this.#expect(true); });
  }

  #take(frame) {
    const { type, seq, turnId } = frame;
    this.#failed = 0;
    this.#clear('pong');
    this.#expect(this.#expects);
    if (type === 'resync' && frame.gap) this.#forget();
    if (seq > 0) {
      if (this.#seen.has(seq) || seq <= this.#settled && type !== 'final') return;
      this.#seen.set(seq, type);
      this.#last = Math.max(this.#last, seq);
    }
    if (type === 'token') this.#words.set(seq, [turnId, frame.text]);
    if (type === 'final') this.#settle(seq);
    if (type === 'speaking' && frame.speaking) this.#expect(true);
    this.#on.frame(frame, this.#said(turnId), seq < this.#settled);
  }

  #said(turn) {
    return [...this.#words].sort(([a], [b]) => a - b).map(([, [of, piece]]) => of === turn ? piece : '').join('');
  }

  #settle(seq) {
    this.#settled = Math.max(this.#settled, seq);
    for (const [known, type] of this.#seen) if (known < this.#settled && type !== 'final') this.#seen.delete(known);
    for (const known of this.#words.keys()) if (known < seq) this.#words.delete(known);
    this.#expect(this.#words.size > 0);
  }

  // The numbers that are known mean nothing any more.
  #forget() {
    this.#last = this.#settled = 0;
    this.#seen.clear();
    this.#words.clear();
  }

  #set(name, ms, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, ms);
  }

  #clear(name) {
    clearTimeout(this.#timers[name]);
    delete this.#timers[name];
  }
}
