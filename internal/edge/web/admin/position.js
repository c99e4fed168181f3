// Where something is, as people copy it from a map.

import { make, outward } from './dom.js';
import { field, text } from './fields.js';
import { mark } from './hours.js';

/** The control of the position that `p` has: two numbers with a comma between. */
export function position(p, changed) {
  const seen = make('p', { className: 'act' });
  const show = () => seen.replaceChildren(...(p.location ? [outward(`https://www.openstreetmap.org/?mlat=${p.location.lat}&mlon=${p.location.lng}#map=17/${p.location.lat}/${p.location.lng}`, 'Look at it on the map')] : []));
  const node = field('Position', text(p.location ? `${p.location.lat}, ${p.location.lng}` : '', (v) => {
    const at = readPosition(v);
    if (!mark(node, at !== null || v.trim() === '')) return;
    p.location = at && { ...p.location, ...at };
    changed();
    show();
  }, { inputMode: 'text', dir: 'ltr' }), { path: 'location', note: 'Latitude and longitude, such as 35.3417, 33.3192. In most maps: press long or right-click on the spot, and copy the two numbers.' });
  show();
  return make('div', {}, node, seen);
}

/** Reads "35.3417, 33.3192"; null when it is no place on earth. */
function readPosition(s) {
  const m = /^\s*\(?\s*(-?\d{1,2}(?:\.\d+)?)°?\s*[,;\s]\s*(-?\d{1,3}(?:\.\d+)?)°?\s*\)?\s*$/.exec(s);
  if (!m) return null;
  const [lat, lng] = [Number(m[1]), Number(m[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}
