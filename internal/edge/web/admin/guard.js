// Keeps what somebody has written and not saved from being lost unseen.

import { confirm } from './dom.js';

let unsaved = () => false;

/** Says how to find out whether the page shown has something that is not saved. */
export function watch(dirty) { unsaved = dirty; }

export const forget = () => watch(() => false);

/** Resolves to whether the page may be left; asks when something would be lost. */
export async function mayLeave() {
  if (!unsaved()) return true;
  return confirm({ title: 'Leave without saving?', text: 'You have changes on this page that are not saved. They would be lost.', yes: 'Leave and lose them' });
}

addEventListener('beforeunload', (event) => {
  if (unsaved()) event.preventDefault();
});
