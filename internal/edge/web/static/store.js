// What this device keeps of a conversation, so that a reload loses nothing.

/** Where a message that was not answered is kept: this and its clientMessageId. */
export const OUTBOX = 'merve.out.';

/** Storage that also works where the browser gives none: then for as long as the page is open. */
export const store = (() => {
  const memory = new Map();
  const here = (() => { try { return window.localStorage; } catch { return null; } })();
  return {
    get: (key) => memory.get(key) ?? here?.getItem(key) ?? null,
    set: (key, value) => {
      try { here.setItem(key, value); memory.delete(key); } catch { memory.set(key, value); }
    },
    remove: (key) => { memory.delete(key); here?.removeItem(key); },
    keys: () => [...memory.keys(), ...Object.keys(here ?? {})],
  };
})();

/** The value stored under key, or null; what cannot be read is as good as absent. */
export function read(key) {
  try { return JSON.parse(store.get(key)); } catch { return null; }
}

/** Stores value under key on this device. */
export function write(key, value) { store.set(key, JSON.stringify(value)); }

/** The messages that were written and not answered yet, oldest first. */
export function outbox() {
  return store.keys().filter((key) => key.startsWith(OUTBOX)).map(read)
    .filter((kept) => kept?.clientMessageId && typeof kept.text === 'string' && Number.isFinite(kept.written))
    .sort((a, b) => a.written - b.written);
}

/** n random bytes in base64url: 16 are 128 bits. Works without https too, as randomUUID does not. */
export function random(n) {
  const bytes = crypto.getRandomValues(new Uint8Array(n));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
