// A small map: pins in their places, with names and a scale, and behind them raster tiles when the
// network has some. Without tiles, the pins on a plain ground are the map. Places are in degrees
// (WGS 84), tiles in Web Mercator, each 256 pixels wide.

import { draw, make, outward } from './dom.js';

const TILE = 256;
const [NEAREST, FARTHEST, ALONE] = [18, 2, 15]; // zoom: the closest, the widest, and that of a single place
const EDGE = 40;                                // pixels between a pin and the map's edge

/** The place as {lat, lng} when it is one on earth, else null. */
export function spot(value) {
  const [lat, lng] = [Number(value?.lat ?? NaN), Number(value?.lng ?? NaN)];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

// Where a place is in the square of the world, both ways from 0 to 1.
function project({ lat, lng }) {
  const bounded = Math.min(85, Math.max(-85, lat)) * Math.PI / 180;
  return [(lng + 180) / 360, (1 - Math.asinh(Math.tan(bounded)) / Math.PI) / 2];
}

const seen = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) if (isIntersecting) target.dispatchEvent(new Event('seen'));
}, { rootMargin: '200px' });

/**
 * A map of pins ({lat, lng, name, mark}, at least one). tiles is {template, credit, href}: the tiles' address
 * with {z}, {x} and {y}, and who is to be named for them.
 */
export function chart(pins, tiles, speech) {
  const picture = draw('svg', { role: 'img', 'aria-label': [speech.say('mapOf'), pins.map((pin) => pin.name).filter(Boolean).join(', ')].filter(Boolean).join(': ') });
  const ground = make('div', { className: 'tiles' });
  const button = (word, sign, step) => make('button', { type: 'button', 'aria-label': speech.say(word), title: speech.say(word), onclick: () => zoomBy(step) }, sign);
  const [closer, wider] = [button('nearer', '+', 1), button('farther', '−', -1)];
  const credit = outward(tiles.href, tiles.credit);
  const node = make('div', { className: 'chart', dir: 'ltr' }, ground, picture, make('div', { className: 'zoom' }, closer, wider), credit);
  const points = pins.map(project);
  const known = new Map(); // tile to its image
  let width = 0, height = 0, zoom, center;

  function fit() {
    const span = (axis) => Math.max(...points.map((p) => p[axis])) - Math.min(...points.map((p) => p[axis]));
    center = [0, 1].map((axis) => Math.min(...points.map((p) => p[axis])) + span(axis) / 2);
    zoom = pins.length > 1 ? NEAREST : ALONE;
    while (zoom > FARTHEST && (span(0) * scale() > width - 2 * EDGE || span(1) * scale() > height - 2 * EDGE)) zoom--;
  }
  const scale = () => TILE * 2 ** zoom;
  const at = ([x, y]) => [(x - center[0]) * scale() + width / 2, (y - center[1]) * scale() + height / 2];

  function zoomBy(step) {
    zoom = Math.min(NEAREST, Math.max(FARTHEST, zoom + step));
    paint();
  }

  function paint() {
    closer.disabled = zoom === NEAREST;
    wider.disabled = zoom === FARTHEST;
    layTiles();
    picture.setAttribute('viewBox', `0 0 ${width} ${height}`);
    picture.replaceChildren(grid(), bar(), ...marks());
  }

  function layTiles() {
    const n = 2 ** zoom;
    const first = (axis, size) => Math.floor((center[axis] * scale() - size / 2) / TILE);
    const used = new Set();
    for (let x = first(0, width); at([x / n, 0])[0] < width; x++) {
      for (let y = Math.max(0, first(1, height)); y < n && at([0, y / n])[1] < height; y++) {
        const [left, top] = at([x / n, y / n]);
        const image = tile(zoom, ((x % n) + n) % n, y, x);
        used.add(image);
        image.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
      }
    }
    for (const [key, image] of known) if (!used.has(image)) { image.remove(); known.delete(key); }
  }

  function tile(z, x, y, place) {
    const key = [z, place, y].join();
    if (!known.has(key)) {
      const image = make('img', {
        alt: '', width: TILE, height: TILE, draggable: false, decoding: 'async',
        referrerPolicy: 'origin', // what serves tiles wants to know which site shows them
        src: tiles.template.replace('{z}', z).replace('{x}', x).replace('{y}', y),
      });
      image.addEventListener('load', () => { image.className = 'there'; node.classList.add('tiled'); });
      known.set(key, image);
      ground.append(image);
    }
    return known.get(key);
  }

  function grid() {
    const step = 48;
    const lines = [];
    for (let x = (width / 2) % step; x < width; x += step) lines.push(`M${x} 0V${height}`);
    for (let y = (height / 2) % step; y < height; y += step) lines.push(`M0 ${y}H${width}`);
    return draw('path', { class: 'grid', d: lines.join('') });
  }

  // The scale, by the width of a degree at the map's middle: the earth's circumference is 40,075 km.
  function bar() {
    const latitude = Math.atan(Math.sinh(Math.PI * (1 - 2 * center[1])));
    const metres = 40_075_017 * Math.cos(latitude) / scale(); // of one pixel
    const most = metres * 96;
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((n) => n * power).find((m) => m <= most);
    const label = draw('text', { x: 12, y: height - 18 });
    label.textContent = speech.dir === 'rtl' ? `\u2067${speech.distance(length)}\u2069` : speech.distance(length);
    return draw('g', { class: 'scale' }, draw('path', { d: `M12 ${height - 15}v4h${length / metres}v-4` }), label);
  }

  function marks() {
    const taken = [];
    return pins.map((pin, i) => {
      const [x, y] = at(points[i]);
      const mark = draw('g', { class: 'pin', transform: `translate(${x} ${y})` }, draw('path', { d: 'M0 0C-4-7-11-11-11-19a11 11 0 1 1 22 0C11-11 4-7 0 0z' }));
      const word = draw('text', { y: -14 });
      word.textContent = pin.mark || '•';
      mark.append(word);
      const name = [...(pin.name ?? '')].slice(0, 26).join('');
      const box = { x, y, half: name.length * 3.6 + 6 };
      if (name && !taken.some((b) => Math.abs(b.x - box.x) < b.half + box.half && Math.abs(b.y - box.y) < 17)) {
        taken.push(box);
        const label = draw('text', { class: 'name', y: 15 });
        label.textContent = name;
        mark.append(label);
      }
      return mark;
    });
  }

  let held = null;
  picture.addEventListener('pointerdown', (event) => { held = [event.clientX, event.clientY]; picture.setPointerCapture(event.pointerId); });
  picture.addEventListener('pointerup', () => { held = null; });
  picture.addEventListener('pointercancel', () => { held = null; });
  picture.addEventListener('pointermove', (event) => {
    if (!held) return;
    const now = [event.clientX, event.clientY];
    center = center.map((c, axis) => Math.min(1, Math.max(0, c - (now[axis] - held[axis]) / scale())));
    held = now;
    paint();
  });

  const sized = new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    [width, height] = [node.clientWidth, node.clientHeight];
    if (!zoom) fit();
    if (width) paint();
  });
  node.addEventListener('seen', () => { seen.unobserve(node); sized.observe(node); });
  seen.observe(node);
  return node;
}
