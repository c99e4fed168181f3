// The page of a payment: Stripe's own element takes the card, in a frame of Stripe's.
// https://docs.stripe.com/payments/payment-element
'use strict';

(async () => {
  const main = document.querySelector('main[data-key]');
  if (!main) return;
  const form = document.getElementById('form');
  const button = document.getElementById('pay');
  const said = document.getElementById('said');
  const say = (text) => { said.textContent = text; };
  const address = location.pathname.replace(/\/$/, '') + '/intent';

  // ask gives what is to be paid, or reloads a page that has nothing to pay any more.
  const ask = async () => {
    const answer = await fetch(address, { cache: 'no-store', headers: { accept: 'application/json' } });
    if (answer.status === 404 || answer.status === 410) location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  };

  // wait looks until the payment is confirmed, which takes a moment; the chat is told in any case.
  const wait = async () => {
    form.hidden = true;
    say(main.dataset.checking);
    for (let n = 0; n < 15; n++) {
      await new Promise((done) => { setTimeout(done, 2000); });
      const now = await ask().catch(() => null);
      if (now && !['waiting', 'failed'].includes(now.status)) {
        location.replace(location.pathname);
        return;
      }
    }
  };

  let stripe, elements;
  try {
    const intent = await ask();
    if (intent.paid) {
      await wait();
      return;
    }
    stripe = window.Stripe(main.dataset.key, { locale: document.documentElement.lang });
    elements = stripe.elements({ clientSecret: intent.clientSecret });
    elements.create('payment').mount('#card');
    form.hidden = false;
  } catch {
    say(main.dataset.trouble);
    return;
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    say('');
    const { error } = await stripe.confirmPayment({
      elements, redirect: 'if_required', confirmParams: { return_url: location.origin + location.pathname },
    }).catch(() => ({ error: {} }));
    if (!error) {
      await wait();
      return;
    }
    say(error.message || main.dataset.failed);
    button.disabled = false;
  });
})();
