// What goes with a message beside its words: photos, made small on this device before they leave it, and
// where one is, which is asked for only when the customer wants to say it.

import { icon, make, show } from './dom.js';

const MOST = 6;              // photos with one message
const PIXELS = 1600;         // the longer side of what is sent
const THUMB = 160;           // and of what is shown here
const PATIENCE = 3 * 60_000; // for one photo to go up, ms

export class Photos {
  #page; // the nodes: file, photos, text, remark
  #ui;   // {speech, talk, changed()}
  #all = [];
  #counted = 0;

  constructor(page, ui) {
    [this.#page, this.#ui] = [page, ui];
    page.photo.addEventListener('click', () => page.file.click());
    page.file.addEventListener('change', () => { this.add(page.file.files); page.file.value = ''; });
    page.text.addEventListener('paste', (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.add(event.clipboardData.files);
    });
    for (const type of ['dragover', 'drop']) {
      document.addEventListener(type, (event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        if (type === 'drop') this.add(event.dataTransfer.files);
      });
    }
  }

  get empty() { return this.#all.length === 0; }

  /** Whether all of them have gone up. */
  get ready() { return this.#all.every((photo) => photo.url); }

  get uploading() { return this.#all.some((photo) => photo.state === 'up'); }

  /** Takes the photos as the media of a message. */
  take() {
    const media = this.#all.map(({ url, thumb }) => ({ url, contentType: 'image/jpeg', thumb }));
    this.clear();
    return media;
  }

  clear() {
    for (const photo of this.#all) photo.request?.abort();
    this.#all = [];
    this.#counted = 0;
    this.#page.photos.replaceChildren();
    this.#ui.changed();
  }

  add(files) {
    const { speech } = this.#ui;
    this.#page.remark.textContent = '';
    for (const file of files) {
      if (this.#all.length >= MOST) {
        this.#page.remark.textContent = speech.say('photoMost', { n: MOST });
        return;
      }
      this.#send(this.#attach({ file, label: speech.say('photo', { n: ++this.#counted }) }));
    }
  }

  /** Tries again those that did not go up. */
  resume() {
    for (const photo of this.#all) if (photo.state === 'failed') this.#send(photo);
  }

  #attach(photo) {
    const { speech } = this.#ui;
    const small = (label, path, onclick) => make('button', { type: 'button', className: 'icon', 'aria-label': label, title: label, onclick }, icon(path));
    photo.image = make('img', { alt: photo.label, width: 64, height: 64 });
    photo.bar = make('progress', { max: 1, value: 0, 'aria-label': speech.say('uploading', { name: photo.label }) });
    photo.again = small(`${speech.say('retry')}: ${photo.label}`, 'M4 12a8 8 0 1 0 3-6.200M4 3v4h4', () => this.#send(photo));
    photo.item = make('li', {}, photo.image, photo.bar, photo.again,
      small(speech.say('remove', { name: photo.label }), 'm7 7 10 10M7 17 17 7', () => this.#detach(photo)));
    this.#all.push(photo);
    this.#page.photos.append(photo.item);
    return photo;
  }

  #detach(photo, words = '') {
    photo.request?.abort();
    this.#all = this.#all.filter((p) => p !== photo);
    photo.item.remove();
    this.#page.remark.textContent = words;
    this.#page.text.focus();
    this.#ui.changed();
  }

  #stand(photo, state) {
    photo.state = state;
    photo.item.className = state;
    show(photo.bar, state === 'up');
    show(photo.again, state === 'failed');
    this.#ui.changed();
  }

  async #send(photo) {
    const { speech, talk } = this.#ui;
    this.#stand(photo, 'up');
    try {
      photo.blob ??= await this.#shrink(photo);
      if (!photo.blob) return this.#detach(photo, speech.say('photoBad', { name: photo.label }));
      const where = await talk.photo(photo.blob.type, photo.blob.size);
      if (!this.#all.includes(photo)) return;
      await this.#put(photo, where);
      photo.url = String(where.mediaUrl);
      this.#stand(photo, 'done');
    } catch {
      if (!this.#all.includes(photo)) return;
      this.#page.remark.textContent = speech.say('photoFailed', { name: photo.label });
      this.#stand(photo, 'failed');
    }
  }

  // The photo as a JPEG of a size that does, which also takes out where it was taken; null for what is none.
  async #shrink(photo) {
    const bitmap = await createImageBitmap(photo.file).catch(() => null);
    if (!bitmap) return null;
    photo.thumb = sized(bitmap, THUMB).toDataURL('image/jpeg', 0.7);
    photo.image.src = photo.thumb;
    const canvas = sized(bitmap, PIXELS);
    bitmap.close();
    return new Promise((resolve) => { canvas.toBlob(resolve, 'image/jpeg', 0.85); });
  }

  #put(photo, { uploadUrl, method, headers }) {
    return new Promise((resolve, reject) => {
      const request = photo.request = new XMLHttpRequest(); // fetch tells no progress
      request.open(method ?? 'PUT', new URL(uploadUrl, location.href));
      for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => { photo.bar.value = loaded / total; };
      request.onload = () => (request.status < 300 ? resolve() : reject(new Error(`status ${request.status}`)));
      request.onerror = request.onabort = request.ontimeout = () => reject(new Error('no answer'));
      request.timeout = PATIENCE;
      request.send(photo.blob);
    });
  }
}

function sized(bitmap, most) {
  const scale = Math.min(1, most / Math.max(bitmap.width, bitmap.height));
  const canvas = make('canvas', { width: Math.max(1, Math.round(bitmap.width * scale)), height: Math.max(1, Math.round(bitmap.height * scale)) });
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff'; // what lets light through would become black
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Where one is, as {lat, lng} to five decimals (about a metre); throws the word that says why not. */
export function whereabouts() {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation) return reject('nowhere');
    const round = (degrees) => Math.round(degrees * 1e5) / 1e5;
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve({ lat: round(coords.latitude), lng: round(coords.longitude) }),
      ({ code }) => reject(code === 1 ? 'denied' : 'nowhere'),
      { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 });
  });
}
