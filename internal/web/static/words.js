// What the page says, in each language it knows, and how it writes times and money there.
// {name} in a text is a place to fill. `yes` and `no` are also sent as the answer to a
// pending action, so they are words the gate knows.

const en = {
  skip: 'To the message box',
  language: 'Language',
  newChat: 'New conversation',
  sure: 'Start a new conversation?',
  sureText: 'This one will no longer be shown on this device. Bookings you have made stay as they are.',
  sureYes: 'Start new',
  sureNo: 'Keep this one',
  model: 'AI model: {model}',
  rules: 'Answers by built-in rules, no AI model configured',
  conversation: 'Conversation',
  messages: 'Messages',
  earlier: 'Show earlier messages',
  newest: 'Newest messages',
  hello: 'Hello, I’m Merve',
  helloText: 'Tell me what you are looking for. I search for you, and nothing is booked before you say yes.',
  ideas: ['Find a restaurant for tonight', 'Book a haircut for tomorrow', 'Show my bookings'],
  message: 'Message',
  placeholder: 'Write to Merve',
  send: 'Send',
  hint: 'Enter sends, Shift+Enter starts a new line',
  count: '{n} of {limit} characters',
  you: 'You',
  working: 'Merve is writing…',
  longer: 'Still at work, this takes a little longer…',
  offline: 'You are offline. What you write is sent as soon as you are back.',
  sending: 'Sending…',
  waiting: 'Will be sent when you are back online',
  retry: 'Try again',
  edit: 'Edit',
  network: 'No answer from Merve.',
  server: 'Something went wrong on our side.',
  busy: 'Too much is going on right now.',
  refused: 'This message cannot be sent as it is.',
  lost: 'This conversation is no longer available.',
  history: 'Earlier messages could not be loaded.',
  reference: 'Reference: {id}',
  asked: 'Waiting for your answer',
  yes: 'Yes',
  no: 'No',
  left: '{time} left',
  minute: 'One minute left to answer.',
  expired: 'The offer has expired.',
  choices: 'What you can do',
  book: 'Book',
  bookOne: 'Book {name}',
  bookText: 'Book: {name}',
  details: 'Details',
  detailsText: 'Details: {name}',
  booking: 'Booking',
  when: 'When',
  party: 'People',
  price: 'Price',
  code: 'Booking code',
  map: 'Show on the map',
  draft: 'Draft',
  hold: 'Held for you',
  confirmed: 'Confirmed',
  cancelled: 'Cancelled',
  closed: 'Expired',
};

const tr = {
  skip: 'Mesaj kutusuna git',
  language: 'Dil',
  newChat: 'Yeni konuşma',
  sure: 'Yeni konuşma başlatılsın mı?',
  sureText: 'Bu konuşma artık bu cihazda görünmeyecek. Yaptığınız rezervasyonlar olduğu gibi kalır.',
  sureYes: 'Yenisini başlat',
  sureNo: 'Bunda kal',
  model: 'Yapay zekâ modeli: {model}',
  rules: 'Yanıtlar yerleşik kurallardan, yapay zekâ modeli ayarlı değil',
  conversation: 'Konuşma',
  messages: 'Mesajlar',
  earlier: 'Önceki mesajları göster',
  newest: 'En yeni mesajlar',
  hello: 'Merhaba, ben Merve',
  helloText: 'Ne aradığınızı yazın. Sizin için ararım; siz evet demeden hiçbir şeyi ayırtmam.',
  ideas: ['Bu akşam için restoran bul', 'Yarına saç kesimi randevusu al', 'Rezervasyonlarımı göster'],
  message: 'Mesaj',
  placeholder: 'Merve’ye yazın',
  send: 'Gönder',
  hint: 'Enter gönderir, Shift+Enter yeni satır açar',
  count: '{n} / {limit} karakter',
  you: 'Siz',
  working: 'Merve yazıyor…',
  longer: 'Hâlâ çalışıyor, biraz daha sürecek…',
  offline: 'Çevrimdışısınız. Yazdıklarınız bağlantı gelince gönderilir.',
  sending: 'Gönderiliyor…',
  waiting: 'Bağlantı gelince gönderilecek',
  retry: 'Yeniden dene',
  edit: 'Düzenle',
  network: 'Merve’den yanıt gelmedi.',
  server: 'Bizim tarafımızda bir sorun oldu.',
  busy: 'Şu anda çok yoğunluk var.',
  refused: 'Bu mesaj bu hâliyle gönderilemiyor.',
  lost: 'Bu konuşmaya artık ulaşılamıyor.',
  history: 'Önceki mesajlar yüklenemedi.',
  reference: 'Kayıt no: {id}',
  asked: 'Yanıtınız bekleniyor',
  yes: 'Evet',
  no: 'Hayır',
  left: '{time} kaldı',
  minute: 'Yanıtlamak için bir dakika kaldı.',
  expired: 'Teklifin süresi doldu.',
  choices: 'Yapabilecekleriniz',
  book: 'Ayırt',
  bookOne: 'Ayırt: {name}',
  bookText: 'Rezervasyon: {name}',
  details: 'Ayrıntılar',
  detailsText: 'Ayrıntılar: {name}',
  booking: 'Rezervasyon',
  when: 'Zaman',
  party: 'Kişi sayısı',
  price: 'Fiyat',
  code: 'Rezervasyon kodu',
  map: 'Haritada göster',
  draft: 'Taslak',
  hold: 'Sizin için tutuluyor',
  confirmed: 'Onaylandı',
  cancelled: 'İptal edildi',
  closed: 'Süresi doldu',
};

const el = {
  skip: 'Στο πλαίσιο μηνύματος',
  language: 'Γλώσσα',
  newChat: 'Νέα συνομιλία',
  sure: 'Να ξεκινήσει νέα συνομιλία;',
  sureText: 'Αυτή δεν θα εμφανίζεται πια σε αυτή τη συσκευή. Οι κρατήσεις σας μένουν όπως είναι.',
  sureYes: 'Νέα συνομιλία',
  sureNo: 'Μένω σε αυτή',
  model: 'Μοντέλο ΤΝ: {model}',
  rules: 'Απαντήσεις με ενσωματωμένους κανόνες, χωρίς μοντέλο ΤΝ',
  conversation: 'Συνομιλία',
  messages: 'Μηνύματα',
  earlier: 'Παλαιότερα μηνύματα',
  newest: 'Νεότερα μηνύματα',
  hello: 'Γεια σας, είμαι η Merve',
  helloText: 'Πείτε μου τι ψάχνετε. Αναζητώ για εσάς, και τίποτα δεν κλείνεται πριν πείτε ναι.',
  ideas: ['Βρες εστιατόριο για απόψε', 'Κλείσε κούρεμα για αύριο', 'Δείξε τις κρατήσεις μου'],
  message: 'Μήνυμα',
  placeholder: 'Γράψτε στη Merve',
  send: 'Αποστολή',
  hint: 'Enter για αποστολή, Shift+Enter για νέα γραμμή',
  count: '{n} από {limit} χαρακτήρες',
  you: 'Εσείς',
  working: 'Η Merve γράφει…',
  longer: 'Ακόμη εργάζεται, θα χρειαστεί λίγο ακόμη…',
  offline: 'Είστε εκτός σύνδεσης. Ό,τι γράψετε θα σταλεί μόλις επανέλθει.',
  sending: 'Αποστολή…',
  waiting: 'Θα σταλεί όταν επανέλθει η σύνδεση',
  retry: 'Δοκιμάστε ξανά',
  edit: 'Επεξεργασία',
  network: 'Καμία απάντηση από τη Merve.',
  server: 'Κάτι πήγε στραβά από την πλευρά μας.',
  busy: 'Υπάρχει πολλή κίνηση αυτή τη στιγμή.',
  refused: 'Το μήνυμα δεν μπορεί να σταλεί έτσι.',
  lost: 'Αυτή η συνομιλία δεν είναι πια διαθέσιμη.',
  history: 'Τα παλαιότερα μηνύματα δεν φορτώθηκαν.',
  reference: 'Αναφορά: {id}',
  asked: 'Περιμένει την απάντησή σας',
  yes: 'Ναι',
  no: 'Όχι',
  left: 'απομένουν {time}',
  minute: 'Απομένει ένα λεπτό για να απαντήσετε.',
  expired: 'Η προσφορά έληξε.',
  choices: 'Τι μπορείτε να κάνετε',
  book: 'Κράτηση',
  bookOne: 'Κράτηση: {name}',
  bookText: 'Κράτηση: {name}',
  details: 'Λεπτομέρειες',
  detailsText: 'Λεπτομέρειες: {name}',
  booking: 'Κράτηση',
  when: 'Πότε',
  party: 'Άτομα',
  price: 'Τιμή',
  code: 'Κωδικός κράτησης',
  map: 'Στον χάρτη',
  draft: 'Πρόχειρο',
  hold: 'Κρατείται για εσάς',
  confirmed: 'Επιβεβαιώθηκε',
  cancelled: 'Ακυρώθηκε',
  closed: 'Έληξε',
};

const ru = {
  skip: 'К полю сообщения',
  language: 'Язык',
  newChat: 'Новый разговор',
  sure: 'Начать новый разговор?',
  sureText: 'Этот больше не будет показан на этом устройстве. Ваши бронирования останутся в силе.',
  sureYes: 'Начать новый',
  sureNo: 'Остаться в этом',
  model: 'Модель ИИ: {model}',
  rules: 'Ответы по встроенным правилам, модель ИИ не подключена',
  conversation: 'Разговор',
  messages: 'Сообщения',
  earlier: 'Показать более ранние',
  newest: 'Новые сообщения',
  hello: 'Здравствуйте, я Merve',
  helloText: 'Напишите, что вы ищете. Я подберу варианты и ничего не забронирую, пока вы не скажете «да».',
  ideas: ['Найди ресторан на вечер', 'Запиши меня на стрижку на завтра', 'Покажи мои бронирования'],
  message: 'Сообщение',
  placeholder: 'Напишите Merve',
  send: 'Отправить',
  hint: 'Enter отправляет, Shift+Enter начинает новую строку',
  count: '{n} из {limit} знаков',
  you: 'Вы',
  working: 'Merve пишет…',
  longer: 'Ещё работает, нужно чуть больше времени…',
  offline: 'Нет соединения. Сообщения уйдут, как только оно появится.',
  sending: 'Отправляется…',
  waiting: 'Уйдёт, когда появится соединение',
  retry: 'Повторить',
  edit: 'Изменить',
  network: 'Merve не отвечает.',
  server: 'У нас что-то пошло не так.',
  busy: 'Сейчас слишком много запросов.',
  refused: 'В таком виде сообщение отправить нельзя.',
  lost: 'Этот разговор больше недоступен.',
  history: 'Не удалось загрузить более ранние сообщения.',
  reference: 'Номер обращения: {id}',
  asked: 'Ждём вашего ответа',
  yes: 'Да',
  no: 'Нет',
  left: 'осталось {time}',
  minute: 'На ответ осталась одна минута.',
  expired: 'Срок предложения истёк.',
  choices: 'Что можно сделать',
  book: 'Забронировать',
  bookOne: 'Забронировать: {name}',
  bookText: 'Забронировать: {name}',
  details: 'Подробнее',
  detailsText: 'Подробнее: {name}',
  booking: 'Бронирование',
  when: 'Когда',
  party: 'Гостей',
  price: 'Цена',
  code: 'Код бронирования',
  map: 'Показать на карте',
  draft: 'Черновик',
  hold: 'Держим для вас',
  confirmed: 'Подтверждено',
  cancelled: 'Отменено',
  closed: 'Срок истёк',
};

const he = {
  skip: 'לתיבת ההודעה',
  language: 'שפה',
  newChat: 'שיחה חדשה',
  sure: 'להתחיל שיחה חדשה?',
  sureText: 'השיחה הזאת לא תוצג עוד במכשיר הזה. ההזמנות שלך נשארות כפי שהן.',
  sureYes: 'שיחה חדשה',
  sureNo: 'להישאר בזאת',
  model: 'מודל בינה מלאכותית: {model}',
  rules: 'תשובות לפי כללים מובנים, לא הוגדר מודל בינה מלאכותית',
  conversation: 'שיחה',
  messages: 'הודעות',
  earlier: 'הודעות קודמות',
  newest: 'ההודעות החדשות',
  hello: 'שלום, אני Merve',
  helloText: 'כתבו לי מה אתם מחפשים. אחפש בשבילכם, ודבר לא יוזמן לפני שתאמרו כן.',
  ideas: ['למצוא מסעדה להערב', 'לקבוע תספורת למחר', 'להראות את ההזמנות שלי'],
  message: 'הודעה',
  placeholder: 'כתבו ל‑Merve',
  send: 'שליחה',
  hint: '‏Enter שולח, Shift+Enter פותח שורה חדשה',
  count: '{n} מתוך {limit} תווים',
  you: 'אני',
  working: '‏Merve כותבת…',
  longer: 'עדיין עובדת על זה, עוד רגע…',
  offline: 'אין חיבור לרשת. ההודעות יישלחו ברגע שהחיבור יחזור.',
  sending: 'נשלח…',
  waiting: 'יישלח כשהחיבור יחזור',
  retry: 'לנסות שוב',
  edit: 'עריכה',
  network: 'אין תשובה מ‑Merve.',
  server: 'משהו השתבש אצלנו.',
  busy: 'יש עומס רב כרגע.',
  refused: 'אי אפשר לשלוח את ההודעה כפי שהיא.',
  lost: 'השיחה הזאת כבר אינה זמינה.',
  history: 'לא ניתן היה לטעון הודעות קודמות.',
  reference: 'מספר פנייה: {id}',
  asked: 'מחכה לתשובה שלך',
  yes: 'כן',
  no: 'לא',
  left: 'נותרו {time}',
  minute: 'נותרה דקה אחת לענות.',
  expired: 'ההצעה פגה.',
  choices: 'מה אפשר לעשות',
  book: 'הזמנה',
  bookOne: 'הזמנה: {name}',
  bookText: 'הזמנה: {name}',
  details: 'פרטים',
  detailsText: 'פרטים: {name}',
  booking: 'הזמנה',
  when: 'מתי',
  party: 'אנשים',
  price: 'מחיר',
  code: 'קוד הזמנה',
  map: 'להציג במפה',
  draft: 'טיוטה',
  hold: 'שמור בשבילך',
  confirmed: 'אושר',
  cancelled: 'בוטל',
  closed: 'פג תוקף',
};

const ar = {
  skip: 'إلى خانة الرسالة',
  language: 'اللغة',
  newChat: 'محادثة جديدة',
  sure: 'هل تبدأ محادثة جديدة؟',
  sureText: 'لن تظهر هذه المحادثة على هذا الجهاز بعد الآن. حجوزاتك تبقى كما هي.',
  sureYes: 'بدء محادثة جديدة',
  sureNo: 'البقاء في هذه',
  model: 'نموذج الذكاء الاصطناعي: {model}',
  rules: 'الإجابات وفق قواعد مدمجة، ولم يُضبط أي نموذج ذكاء اصطناعي',
  conversation: 'المحادثة',
  messages: 'الرسائل',
  earlier: 'عرض الرسائل السابقة',
  newest: 'أحدث الرسائل',
  hello: 'مرحبًا، أنا Merve',
  helloText: 'اكتب لي ما تبحث عنه. أبحث من أجلك، ولا يُحجز شيء قبل أن تقول نعم.',
  ideas: ['ابحث عن مطعم لهذا المساء', 'احجز موعد حلاقة للغد', 'اعرض حجوزاتي'],
  message: 'رسالة',
  placeholder: 'اكتب إلى Merve',
  send: 'إرسال',
  hint: '‏Enter للإرسال، وShift+Enter لسطر جديد',
  count: '{n} من {limit} حرف',
  you: 'أنت',
  working: '‏Merve تكتب…',
  longer: 'ما زال العمل جاريًا، سيستغرق قليلًا بعد…',
  offline: 'أنت غير متصل. تُرسل رسائلك فور عودة الاتصال.',
  sending: 'جارٍ الإرسال…',
  waiting: 'تُرسل عند عودة الاتصال',
  retry: 'إعادة المحاولة',
  edit: 'تعديل',
  network: 'لا جواب من Merve.',
  server: 'حدث خطأ من جهتنا.',
  busy: 'هناك ضغط كبير الآن.',
  refused: 'لا يمكن إرسال هذه الرسالة كما هي.',
  lost: 'هذه المحادثة لم تعد متاحة.',
  history: 'تعذر تحميل الرسائل السابقة.',
  reference: 'رقم المرجع: {id}',
  asked: 'في انتظار جوابك',
  yes: 'نعم',
  no: 'لا',
  left: 'بقي {time}',
  minute: 'بقيت دقيقة واحدة للرد.',
  expired: 'انتهت مدة العرض.',
  choices: 'ما يمكنك فعله',
  book: 'حجز',
  bookOne: 'حجز: {name}',
  bookText: 'حجز: {name}',
  details: 'التفاصيل',
  detailsText: 'التفاصيل: {name}',
  booking: 'حجز',
  when: 'الموعد',
  party: 'الأشخاص',
  price: 'السعر',
  code: 'رمز الحجز',
  map: 'عرض على الخريطة',
  draft: 'مسودة',
  hold: 'محجوز لك مؤقتًا',
  confirmed: 'مؤكد',
  cancelled: 'ملغى',
  closed: 'انتهت المدة',
};

export const words = { en, tr, el, ru, he, ar };

/** The languages to choose from, each by its own name. */
export const languages = {
  en: 'English', tr: 'Türkçe', el: 'Ελληνικά', ru: 'Русский', he: 'עברית', ar: 'العربية',
};

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
    this.dir = language === 'he' || language === 'ar' ? 'rtl' : 'ltr';
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
      const format = new Intl.NumberFormat(this.locale, { style: 'currency', currency: price.currency });
      const digits = format.resolvedOptions().maximumFractionDigits;
      const amount = price.amount / 10 ** digits;
      return Number.isInteger(amount)
        ? new Intl.NumberFormat(this.locale, { style: 'currency', currency: price.currency, minimumFractionDigits: 0 }).format(amount)
        : format.format(amount);
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
