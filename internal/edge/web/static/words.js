// What the page says, in each language that has a chat.json, and how it writes times, money and distances there.
// {name} in a text is a place to fill. `yes` and `no` are also sent as the answer to a
// pending action, so they are words the gate knows.

import { decimals } from './currencies.js';
import { languages, rightToLeft, words } from './texts.js';

export { languages, words };

/** The first of the wanted language tags that the page knows, else English. */
export function best(wanted) {
  for (const tag of wanted) {
    const base = String(tag).toLowerCase().split('-')[0];
    const known = base === 'iw' ? 'he' : base; // the tag of Hebrew before 1989, still sent by some
    if (Object.hasOwn(words, known)) return known;
  }
  return 'en';
}

/** One language: its texts, its direction, its way to write times and money. */
export class Speech {
  constructor(language) {
    this.language = language;
    this.dir = rightToLeft.includes(language) ? 'rtl' : 'ltr';
    const tag = navigator.languages.find((t) => best([t]) === language && t.toLowerCase().startsWith(language)) ?? language;
    // Codes, phone numbers and the assistant's replies have Latin digits: the page keeps to one kind.
    const locale = new Intl.Locale(tag, { numberingSystem: 'latn' });
    this.locale = locale;
    this.clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
    this.date = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' });
    this.dateYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' });
    this.near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  }

  /** The text `key`, its {places} filled. */
  say(key, fill = {}) {
    return words[this.language][key].replace(/\{(\w+)\}/g, (_, name) => fill[name] ?? '');
  }

  ideas() { return words[this.language].ideas; }

  /** The time of day of `ms`. */
  time(ms) { return this.clock.format(ms); }

  /** The day of `ms` as a heading: today, yesterday, or its date. */
  day(ms, now) {
    const days = Math.round((midnight(now) - midnight(ms)) / 86_400_000);
    if (days === 0 || days === 1) return this.near.format(-days, 'day');
    return (days < 300 ? this.date : this.dateYear).format(ms);
  }

  /** {amount, currency} in minor units as a price; the number of decimals is the currency's own (ISO 4217). */
  money(price) {
    if (!Number.isFinite(price?.amount)) return '';
    try {
      const digits = decimals(price.currency);
      const amount = price.amount / 10 ** digits;
      return new Intl.NumberFormat(this.locale, {
        style: 'currency', currency: price.currency, minimumFractionDigits: Number.isInteger(amount) ? 0 : digits, maximumFractionDigits: digits,
      }).format(amount);
    } catch {
      return ''; // no such currency: no price is better than a wrong one
    }
  }

  /**
   * The time of a booking. It belongs to the place, not to the reader: a time with an offset is shown
   * as it stands, a UTC time in `timeZone` when the card names one, anything else as it was written.
   */
  when(text, timeZone) {
    const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(text ?? '');
    if (!parts) return String(text ?? '');
    const there = parts[2] !== 'Z';
    const options = { weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' };
    try {
      return new Intl.DateTimeFormat(this.locale, { ...options, timeZone: there ? 'UTC' : timeZone })
        .format(new Date(there ? parts[1] + 'Z' : text));
    } catch {
      return text; // no such day or no such zone
    }
  }

  /** A distance in metres, as one would say it. */
  distance(metres) {
    const [value, unit] = metres < 950 ? [metres < 100 ? Math.round(metres) : Math.round(metres / 50) * 50, 'meter'] : [metres / 1000, 'kilometer'];
    return new Intl.NumberFormat(this.locale, { style: 'unit', unit, maximumFractionDigits: value < 10 && unit === 'kilometer' ? 1 : 0 }).format(value);
  }

  /** What is left of a time, in minutes and seconds. */
  countdown(ms) {
    const seconds = Math.max(0, Math.ceil(ms / 1000));
    const pad = (n) => String(n).padStart(2, '0');
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    return h ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
  }
}

function midnight(ms) {
  const day = new Date(ms);
  return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
}
