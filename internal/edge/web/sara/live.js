// What the widget of sara.js hears by a socket while something is said. It is loaded when somebody opens the panel,
// and has no page of its own: w is what it needs of the widget.

import { Socket } from './socket.js';

const GATEWAY = 60_000; // after this long without a word of the end, a message is asked for by request

/** Begins to hear: {speaking, says, open, speak(entry), settle(), stop(), wake(), close()}. */
export function hears(w) {
  let growing; // the entry of a reply that is being said
  let speaking = false;
  let event = Promise.withResolvers(); // the next that somebody may wait for

  for (const [key, value] of Object.entries({ agentId: 'sara', token: w.token, language: w.language, marketId: w.marketId })) {
    if (value) w.at.searchParams.set(key, value);
  }
  const socket = new Socket(() => w.at, { frame: hear, open: (on) => { if (!on) lost(); } });

  function hear(frame, words, late) {
    switch (frame.type) {
      case 'token': return grow(words);
      case 'status': return w.note('', String(frame.text ?? ''));
      case 'speaking': return voice(frame.speaking);
      case 'message': return overhear(frame);
      case 'final': return late || finish(frame); // the final of a later turn had the thread read
      case 'error': return happened('error');
      case 'resync': if (frame.gap) w.watch(50);
    }
  }

  function voice(on) {
    speaking = on;
    w.note('');
  }

  // The words so far, in one bubble. Who listens hears them when they are whole.
  function grow(words, over) {
    if (!growing) {
      w.place(growing = { text: words, rest: words, media: [], at: Date.now(), state: 'sent' }, w.entries.length);
      growing.node.ariaLive = 'off';
    }
    Object.assign(growing, { text: words, rest: words, over });
    growing.node.querySelector('.bubble').replaceChildren(...w.linked(words));
    w.follow();
    w.show();
  }

  // What counts of a reply that was said stands in the thread now.
  function finish(frame) {
    voice(false);
    if (growing) grow(frame.text || growing.text, true);
    if (frame.text) w.tellStanding(frame.standing ?? {});
    w.offer(frame.choices);
    happened('final');
    w.watch(50);
  }

  // What was heard and is over is listed, or stands there in other words.
  function settle() {
    if (!growing || growing.rest !== undefined && !growing.over) return;
    if (growing.rest === undefined) growing.node.ariaLive = null;
    else {
      w.entries.splice(w.entries.indexOf(growing), 1);
      growing.node.remove();
    }
    growing = undefined;
    w.show();
  }

  // What was said in another window, or here before it was loaded again.
  function overhear({ id, text, at }) {
    const when = Date.parse(at) - w.ahead();
    const near = (e) => e.own && (e.clientMessageId === id || !e.clientMessageId && e.text === text && Math.abs(e.at - when) < 10_000);
    w.offer();
    if (!w.entries.some(near)) w.place({ own: true, text, rest: text.trim(), media: [], at: when, clientMessageId: id, state: 'sent' }, w.entries.length);
  }

  function happened(what) {
    const { resolve } = event;
    event = Promise.withResolvers();
    resolve(what);
  }

  function lost() {
    voice(false);
    happened('lost');
  }

  // Sends entry and reads what was answered, once that was said; false where that cannot be or the socket breaks:
  // then it is asked by request, as the same message.
  async function speak(entry) {
    const { clientMessageId: id, text, media, replyTo } = entry;
    if (entry.left || media.length || !socket.send({ type: 'message', id, text, replyTo })) return false;
    entry.left = true;
    const from = w.tail();
    w.mark(entry, 'sending');
    w.work(1);
    try {
      while (await Promise.race([event.promise, w.wait(GATEWAY)]) === 'final') {
        if (!await w.read(from)) continue;
        w.kept(id);
        w.mark(entry, 'sent');
        return true;
      }
    } catch { /* asked by request */ } finally {
      w.work(-1);
    }
    return false;
  }

  return {
    speak, settle,
    get speaking() { return speaking; },
    get says() { return growing !== undefined; },
    get open() { return socket.open; },
    stop() { socket.send({ type: 'barge_in' }); },
    wake() { socket.wake(); },
    close() {
      socket.close();
      lost();
    },
  };
}
