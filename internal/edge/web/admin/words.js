// What the settings are called, and what their values are in words.

import { said } from './dom.js';
import { days } from './hours.js';

/** What happens in an event that a message tells of: its name, when it is sent, and to whom. */
export const events = {
  merchant_booking_confirmed: { word: 'Booking confirmed', about: 'To the business, when a customer has said YES to a booking.' },
  merchant_booking_cancelled: { word: 'Booking cancelled', about: 'To the business, when a confirmed booking is cancelled.' },
  merchant_order_placed: { word: 'New food order', about: 'To the business, when a customer has said YES to an order.' },
  merchant_service_placed: { word: 'New service request', about: 'To the business, when a customer has said YES to a request.' },
  merchant_viewing_placed: { word: 'New viewing request', about: 'To the agent, when a customer wants to see a property.' },
  merchant_order_cancelled: { word: 'Order cancelled', about: 'To the business, when a customer cancels an order or request.' },
  merchant_order_unanswered: { word: 'Order not answered', about: 'To the business, when it did not answer in time and the order does not stand any more.' },
  order_accepted: { word: 'Order accepted', about: 'To the customer, when the business has said yes.' },
  order_refused: { word: 'Order refused', about: 'To the customer, when the business has said no.' },
  order_done: { word: 'Order done', about: 'To the customer, when the business says that it is delivered or carried out.' },
  order_unanswered: { word: 'Order without an answer', about: 'To the customer, when the business did not answer in time.' },
  order_cancelled_by_business: { word: 'Order cancelled by the business', about: 'To the customer, when the business cancels what it had accepted.' },
  merchant_message: { word: 'Message of a customer', about: 'To the business, when a customer writes to it.' },
  business_message: { word: 'Message of a business', about: 'To the customer, when the business writes to them. Say in the template whose words it quotes.' },
  waitlist_offer: { word: 'A place is free', about: 'To a customer on the waiting list, when what they waited for is free.' },
  booking_reminder: { word: 'Reminder of a booking', about: 'To a customer who wished it, before the booking.' },
  booking_no_show: { word: 'Nobody came', about: 'To the customer, when the business says that nobody came to a booking.' },
  booking_came: { word: 'Somebody came after all', about: 'To the customer, when the business takes that back.' },
  payment_paid: { word: 'Payment arrived', about: 'To the customer, when a booking is paid and so confirmed.' },
  payment_failed: { word: 'Payment failed', about: 'To the customer, when the bank says no.' },
  payment_too_late: { word: 'Payment too late', about: 'To the customer, when they paid for what was not held any more.' },
  payment_returning: { word: 'Payment on its way back', about: 'To the customer, when a booking that they paid is cancelled.' },
  payment_returning_part: { word: 'A part on its way back', about: 'To the customer, when a part of what they paid is kept.' },
  payment_returned: { word: 'Payment given back', about: 'To the customer, when somebody gives back what they paid.' },
  desk_wanted: { word: 'Somebody wants a person', about: 'To you and your colleagues, when a customer asks for a person.' },
  taxi_offer: { word: 'Ride offered', about: 'To the drivers who are on duty nearby, when a customer wants a taxi.' },
  taxi_pickup: { word: 'Ride won', about: 'To the driver who took the ride, with where to go and whom to fetch.' },
  taxi_taken: { word: 'Ride taken by another', about: 'To the drivers who were too late.' },
  taxi_cancelled: { word: 'Ride cancelled', about: 'To the driver, when the customer or one of you cancels the ride.' },
  taxi_assigned: { word: 'A driver comes', about: 'To the customer, when a driver took their ride.' },
  taxi_arrived: { word: 'The taxi is there', about: 'To the customer, when the driver is there.' },
  taxi_searching: { word: 'Another driver is looked for', about: 'To the customer, when their driver gives the ride back.' },
  taxi_called_off: { word: 'Ride called off', about: 'To the customer, when one of you cancels their ride.' },
  taxi_done: { word: 'Ride done', about: 'To the customer, when the ride is over.' },
  taxi_unserved: { word: 'No taxi comes', about: 'To the customer, when no driver took their ride.' },
  taxi_expired: { word: 'Taxi not ordered', about: 'To the customer, when they did not answer in time.' },
};

export const eventWord = (name) => events[name]?.word ?? said(name);

/** What a business's action is called. */
export const actions = { book: 'Book a time, nights or a ticket', order_food: 'Order food', book_service: 'Ask for a service', schedule_viewing: 'View a property' };

export const kinds = { menuItems: 'Menu items', services: 'Services', tickets: 'Tickets', roomTypes: 'Types of room' };

/** The bounds of a market: name, what it is called, what it does, and the unit it is shown in. */
export const bounds = {
  maxOutboundPerInbound: { word: 'Messages out for each message in', help: 'In how many messages one message of a customer is answered at most: what the assistant says is shortened to fit. Offers, receipts and what staff write are never cut.', unit: 'messages', low: 1, high: 20 },
  maxRounds: { word: 'Rounds of thinking', help: 'How often the assistant may look something up and think again before it has to answer.', unit: 'rounds', low: 1, high: 30 },
  maxCalls: { word: 'Tools used for one answer', help: 'How many things the assistant may look up or propose for one answer.', unit: 'calls', low: 1, high: 100 },
  maxSameCall: { word: 'The same thing again', help: 'How often it may do exactly the same thing for one answer, before it is stopped.', unit: 'times', low: 1, high: 10 },
  turnSeconds: { word: 'Time for one answer', help: 'After this the customer gets a short apology instead.', unit: 'seconds', low: 5, high: 100 },
  turnTokens: { word: 'Words for one answer', help: 'How much the model may read and write for one answer. Counted in tokens: 1,000 are about 750 words.', unit: 'tokens', low: 1000, high: 2000000 },
  turnMicroUsd: { word: 'Cost of one answer', help: 'What the model may cost for one answer at most.', unit: 'US dollars', scale: 1e6, low: 1000, high: 100000000 },
  threadDayMicroUsd: { word: 'Cost of one conversation a day', help: 'What the model may cost for one thread in a day. After this the customer is asked to come back tomorrow.', unit: 'US dollars', scale: 1e6, low: 1000, high: 1000000000 },
  marketDayMicroUsd: { word: 'Cost of the whole market a day', help: 'What the models may cost for all customers of this market in a day. After this nobody gets answers until tomorrow.', unit: 'US dollars', scale: 1e6, low: 1000, high: 1000000000000 },
  identifiedPercent: { word: 'Kept for known customers', help: 'How much of the market’s day is kept for customers who have signed in or write by WhatsApp or Messenger, so that strangers on the web cannot use all of it up.', unit: 'percent', low: 0, high: 90 },
  holdSeconds: { word: 'How long an offer is kept', help: 'How long a time or table is held for a customer who has not said YES yet.', unit: 'minutes', scale: 60, low: 60, high: 86400 },
  maxBookings: { word: 'Bookings of one customer', help: 'How many times or tables one customer may hold or have booked at once.', unit: 'bookings', low: 1, high: 1000 },
  maxOrdersDay: { word: 'Orders of one customer a day', help: 'How many orders, requests and viewings one customer may send in 24 hours.', unit: 'orders', low: 1, high: 1000 },
  maxRidesDay: { word: 'Rides of one customer a day', help: 'How many taxis one customer may order in 24 hours.', unit: 'rides', low: 1, high: 1000 },
  maxMessagesDay: { word: 'Messages to businesses a day', help: 'How many messages one customer may send to businesses in 24 hours.', unit: 'messages', low: 1, high: 1000 },
  addressTimes: { word: 'Customers at one internet connection', help: 'All customers of one internet connection who have not signed in may have this many times as much as one customer. An office or a hotel shares one.', unit: 'times', low: 20, high: 10000 },
};

const fields = {
  name: 'Name', enabled: 'The market', language: 'First language', languages: 'Languages', currency: 'Currency', timeZone: 'Time zone', bounds: 'Area on the map',
  districts: 'Districts', 'desk.numbers': 'Who is told that a person is wanted', 'desk.phone': 'Telephone of the desk', 'desk.hours': 'Hours of the people', gate: 'While an offer waits', requireContact: 'Name and number wanted', 'merve.requireContact': 'Name and number wanted', quietMs: 'Wait for more messages', 'safety.requireConfirmFor': 'Always ask first for', 'whatsapp.from': 'WhatsApp number',
  businessId: 'Business', names: 'Name', descriptions: 'Description', domain: 'Domain', category: 'Category', subCategory: 'Sub-category', place: 'Place', location: 'Position',
  address: 'Address', hours: 'Opening hours', 'hours.days': 'Opening hours', 'hours.closed': 'Closed on', delivery: 'Delivery', image: 'Picture', media: 'Pictures', onDuty: 'Dates on duty', dutyWeekdays: 'Weekdays on duty', duty: 'Hours on duty', phone: 'Telephone', district: 'District', price: 'Price', offerings: 'Offerings', items: 'Menu', left: 'Left', tags: 'Tags', phones: 'Numbers', zip: 'ZIP code', minutes: 'Minutes', priceMinor: 'Price', areas: 'ZIP codes', services: 'Comes for', business: 'Business', slotMinutes: 'Visits begin every', closed: 'Closed on', optIn: 'Wants to be asked', 'optIn.at': 'Wants to be asked since', 'optIn.how': 'How they said so', rating: 'Rating',
  'merve.enabled': 'Offered by Merve', 'merve.whatsappE164': 'WhatsApp number', 'merve.language': 'Language of the business', 'merve.coverage': 'Districts served', 'merve.actions': 'Actions',
};
const last = {
  enabled: 'on', requireConfirmation: 'ask first', allowedTags: 'tags', bounds: 'bounds', categories: 'categories', maxPriceMinor: 'highest price', maxRadiusMeters: 'farthest', maxPeople: 'most people', template: 'wording', soldOut: 'sold out', priceMinor: 'price', feeMinor: 'fee', minimumMinor: 'minimum order',
  stock: 'counted', count: 'how many there were', toE164: 'number', contentSid: 'approved template', params: 'places of the template', names: 'name', dispatch: 'message', lat: 'latitude', lng: 'longitude', ...days,
  hours: 'hours', closed: 'closed on', per: 'what the price is for', unit: 'booked by', capacity: 'at the same time', minParty: 'people at least', maxParty: 'people at most',
  slotMinutes: 'begins every', durationMinutes: 'lasts', leadMinutes: 'booked ahead at least', horizonDays: 'booked ahead at most', checkIn: 'arrival', checkOut: 'departure',
  deposit: 'paid ahead', percentOfPrice: 'share of the price', minMinor: 'at least', refundUntilHours: 'cancelled for nothing until', lateRefundPercent: 'given back later',
  noShows: 'who does not come', days: 'of the last days', greeting: 'greeting', tone: 'tone',
};

/** What a place in a market or listing is called. */
export function label(path) {
  const steps = path.map((step) => step.replace(/^(id|type|name|url)=/, ''));
  const [first, second] = steps;
  if (first === 'safety' && bounds[second]) return bounds[second].word;
  if (first === 'tools' && second) return `Tool “${toolWord(second)}”${rest(steps.slice(2))}`;
  if (first === 'voices' && second) return `${assistantWord(second)}${rest(steps.slice(2))}`;
  if (first === 'templates' && second) return `Message “${eventWord(second)}”`;
  if (first === 'whatsapp' && second === 'templates') return `Approved template “${eventWord(steps[2] ?? '')}”${rest(steps.slice(3))}`;
  if (first === 'offerings' && second) return `To be booked: “${second}”${rest(steps.slice(2))}`;
  if (first === 'items' && second) return `Item “${second}”${rest(steps.slice(2))}`;
  if (first === 'merve' && second === 'actions' && steps[2]) return `Action “${actions[steps[2]] ?? steps[2]}”${rest(steps.slice(3))}`;
  for (let n = steps.length; n > 0; n -= 1) {
    const word = fields[steps.slice(0, n).join('.')];
    if (word) return `${word}${rest(steps.slice(n))}`;
  }
  return steps.map(said).join(', ');
}

const rest = (steps) => (steps.length ? `: ${steps.map((step) => last[step] ?? eventOr(step)).join(', ')}` : '');
const eventOr = (step) => (events[step] ? eventWord(step) : step);

/** A value in words. */
export function value(v, path = []) {
  const bound = path[0] === 'safety' && bounds[path[1]];
  if (v === undefined || v === null || v === '') return ['tools', 'templates', 'voices'].includes(path[0]) ? 'the default' : 'nothing';
  if (v === true) return path.at(-1) === 'soldOut' ? 'yes' : 'on';
  if (v === false) return path.at(-1) === 'soldOut' ? 'no' : 'off';
  if (bound) return `${v / (bound.scale ?? 1)} ${bound.unit}`;
  if (path.at(-1) === 'gate') return { remind: 'remind only', converse: 'answer, then remind' }[v] ?? v;
  if (Array.isArray(v)) return v.length ? v.map((part) => (typeof part === 'object' ? nameOf(part) : part)).join(', ') : 'none';
  if (v.lat !== undefined && v.lng !== undefined) return `${v.lat}, ${v.lng}`;
  if (typeof v === 'object') return nameOf(v);
  return String(v);
}

const nameOf = (part) => part.names?.en ?? part.name ?? part.type ?? part.id ?? (part.from && part.to ? `${part.from}–${part.to}` : JSON.stringify(part));

/** What each tool does, for people: its name and what it is for. */
const tools = {
  searchMarketplace: ['Search listings', 'Finds listings that fit what the customer asks for.'],
  getListing: ['Read a listing', 'Looks up one listing with its prices and free times.'],
  getMenu: ['Read a menu', 'Looks up the menu, services or rooms of a listing.'],
  initiateBooking: ['Offer a booking', 'Holds a time and asks the customer to say YES. Nothing is booked before that.'],
  getMyBookings: ['Show bookings', 'Shows customers their own bookings.'],
  cancelBooking: ['Cancel a booking', 'Asks the customer whether a booking shall be cancelled.'],
  orderFood: ['Order food', 'Puts an order together and asks the customer to say YES. The business learns of it only then.'],
  bookService: ['Ask for a service', 'Prepares a request to a business and asks the customer to say YES.'],
  scheduleViewing: ['Arrange a viewing', 'Prepares a request to an agent and asks the customer to say YES.'],
  getMyOrders: ['Show orders', 'Shows customers their own orders.'],
  cancelOrder: ['Cancel an order', 'Asks the customer whether an order shall be cancelled.'],
  searchLocalPlaces: ['Search the map', 'Looks for places on the map, such as petrol stations.'],
  getNearbyPlaces: ['Places nearby', 'Finds the places of your own list that are nearest to the customer.'],
  findPharmacy: ['Find a pharmacy', 'Finds pharmacies, and which one is on duty tonight.'],
  requestTaxi: ['Call a taxi', 'Asks the customer to say YES, then offers the ride to drivers.'],
  getTaxiStatus: ['Taxi status', 'Tells the customer how far a ride has come.'],
  cancelTaxi: ['Cancel a taxi', 'Asks the customer whether a ride shall be cancelled.'],
  rescheduleBooking: ['Move a booking', 'Holds another time and asks the customer to say YES. The earlier booking stands until then.'],
  joinWaitlist: ['Join a waiting list', 'Notes that the customer wants a time that is taken, and offers it when it is free.'],
  leaveWaitlist: ['Leave a waiting list', 'Takes the customer off a waiting list.'],
  answerQuestion: ['Answer a question', 'Hands a question in several parts to the planner, which looks things up: sums, the weather, products.'],
  askForPerson: ['Ask for a person', 'Hands the thread over to you and your colleagues.'],
  createPaymentIntent: ['Ask for a payment', 'Makes a payment link for a booking that is held.'],
  getPaymentStatus: ['Payment status', 'Looks whether a payment has come in.'],
  setReminder: ['Remind of a booking', 'Reminds customers of a booking in the chat, when they asked for it.'],
  getBusinessDay: ['Show the day', 'Shows a business its bookings and open orders of a day.'],
  getMyListings: ['Show listings', 'Shows a business its own listings.'],
  answerOrder: ['Answer an order', 'Accepts or refuses an order, or says that it is done, after a YES of the business.'],
  setSoldOut: ['Mark sold out', 'Marks an item as sold out or to be had again, after a YES of the business.'],
  setStock: ['Say how many are left', 'Says how many of an item are left, after a YES of the business.'],
  setClosed: ['Close for a day', 'Closes a listing on a day, or opens it after all, after a YES of the business.'],
  setOpeningHours: ['Change opening hours', 'Changes the hours of a listing, after a YES of the business.'],
  markNoShow: ['Nobody came', 'Marks a booking to which nobody came, after a YES of the business.'],
  writeToCustomer: ['Write to a customer', 'Passes the words of a business on to one of its customers, after a YES of the business.'],
  sendWhatsAppMessage: ['Send a WhatsApp message', 'Shows the customer text and recipient, and sends it after a YES.'],
};

const assistants = {
  merve: 'Merve, for customers', sara: 'Sara, for damage reports', ops: 'For businesses', dispatch: 'For drivers', moltbot: 'Moltbot, for requests', pestcall: 'PestCall, for calls', vendor: 'For vendors',
};

/** What an assistant is called. */
export const assistantWord = (name) => assistants[name] ?? said(name);

export const toolWord = (name) => tools[name]?.[0] ?? said(name);

/** What a tool does: in our words, else in the first sentence that a model is told. */
export const toolAbout = (name, description) => tools[name]?.[1] ?? String(description ?? '').split(/(?<=\.)\s/)[0];
