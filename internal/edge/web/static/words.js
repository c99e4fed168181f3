// What the page says, in each language it knows, and how it writes times, money and distances there.
// {name} in a text is a place to fill. `yes` and `no` are also sent as the answer to a
// pending action, so they are words the gate knows.

import { decimals } from './currencies.js';

/** The languages to choose from, each by its own name; every text has them in this order. */
export const languages = {
  en: 'English', tr: 'Türkçe', el: 'Ελληνικά', ru: 'Русский', he: 'עברית', ar: 'العربية',
};

const texts = {
  orderIt: [
    'Order',
    'Sipariş ver',
    'Παραγγελία',
    'Заказать',
    'להזמין',
    'اطلب',
  ],
  stop: [
    'Stop the reply',
    'Yanıtı durdur',
    'Διακοπή της απάντησης',
    'Остановить ответ',
    'לעצור את התשובה',
    'إيقاف الرد',
  ],
  skip: [
    'To the message box',
    'Mesaj kutusuna git',
    'Στο πλαίσιο μηνύματος',
    'К полю сообщения',
    'לתיבת ההודעה',
    'إلى خانة الرسالة',
  ],
  language: [
    'Language',
    'Dil',
    'Γλώσσα',
    'Язык',
    'שפה',
    'اللغة',
  ],
  newChat: [
    'New conversation',
    'Yeni konuşma',
    'Νέα συνομιλία',
    'Новый разговор',
    'שיחה חדשה',
    'محادثة جديدة',
  ],
  sure: [
    'Start a new conversation?',
    'Yeni konuşma başlatılsın mı?',
    'Να ξεκινήσει νέα συνομιλία;',
    'Начать новый разговор?',
    'להתחיל שיחה חדשה?',
    'هل تبدأ محادثة جديدة؟',
  ],
  sureText: [
    'This one will no longer be shown on this device. Bookings you have made stay as they are.',
    'Bu konuşma artık bu cihazda görünmeyecek. Yaptığınız rezervasyonlar olduğu gibi kalır.',
    'Αυτή δεν θα εμφανίζεται πια σε αυτή τη συσκευή. Οι κρατήσεις σας μένουν όπως είναι.',
    'Этот больше не будет показан на этом устройстве. Ваши бронирования останутся в силе.',
    'השיחה הזאת לא תוצג עוד במכשיר הזה. ההזמנות שלך נשארות כפי שהן.',
    'لن تظهر هذه المحادثة على هذا الجهاز بعد الآن. حجوزاتك تبقى كما هي.',
  ],
  sureYes: [
    'Start new',
    'Yenisini başlat',
    'Νέα συνομιλία',
    'Начать новый',
    'שיחה חדשה',
    'بدء محادثة جديدة',
  ],
  sureNo: [
    'Keep this one',
    'Bunda kal',
    'Μένω σε αυτή',
    'Остаться в этом',
    'להישאר בזאת',
    'البقاء في هذه',
  ],
  model: [
    'AI model: {model}',
    'Yapay zekâ modeli: {model}',
    'Μοντέλο ΤΝ: {model}',
    'Модель ИИ: {model}',
    'מודל בינה מלאכותית: {model}',
    'نموذج الذكاء الاصطناعي: {model}',
  ],
  rules: [
    'Answers by built-in rules, no AI model configured',
    'Yanıtlar yerleşik kurallardan, yapay zekâ modeli ayarlı değil',
    'Απαντήσεις με ενσωματωμένους κανόνες, χωρίς μοντέλο ΤΝ',
    'Ответы по встроенным правилам, модель ИИ не подключена',
    'תשובות לפי כללים מובנים, לא הוגדר מודל בינה מלאכותית',
    'الإجابات وفق قواعد مدمجة، ولم يُضبط أي نموذج ذكاء اصطناعي',
  ],
  conversation: [
    'Conversation',
    'Konuşma',
    'Συνομιλία',
    'Разговор',
    'שיחה',
    'المحادثة',
  ],
  messages: [
    'Messages',
    'Mesajlar',
    'Μηνύματα',
    'Сообщения',
    'הודעות',
    'الرسائل',
  ],
  earlier: [
    'Show earlier messages',
    'Önceki mesajları göster',
    'Παλαιότερα μηνύματα',
    'Показать более ранние',
    'הודעות קודמות',
    'عرض الرسائل السابقة',
  ],
  newest: [
    'Newest messages',
    'En yeni mesajlar',
    'Νεότερα μηνύματα',
    'Новые сообщения',
    'ההודעות החדשות',
    'أحدث الرسائل',
  ],
  hello: [
    'Hello, I’m Merve',
    'Merhaba, ben Merve',
    'Γεια σας, είμαι η Merve',
    'Здравствуйте, я Merve',
    'שלום, אני Merve',
    'مرحبًا، أنا Merve',
  ],
  helloText: [
    'Tell me what you are looking for. I search for you, and nothing is booked before you say yes.',
    'Ne aradığınızı yazın. Sizin için ararım; siz evet demeden hiçbir şeyi ayırtmam.',
    'Πείτε μου τι ψάχνετε. Αναζητώ για εσάς, και τίποτα δεν κλείνεται πριν πείτε ναι.',
    'Напишите, что вы ищете. Я подберу варианты и ничего не забронирую, пока вы не скажете «да».',
    'כתבו לי מה אתם מחפשים. אחפש בשבילכם, ודבר לא יוזמן לפני שתאמרו כן.',
    'اكتب لي ما تبحث عنه. أبحث من أجلك، ولا يُحجز شيء قبل أن تقول نعم.',
  ],
  ideas: [
    ['Find a restaurant for tonight', 'Book a haircut for tomorrow', 'Show my bookings', 'Call me a taxi'],
    ['Bu akşam için restoran bul', 'Yarına saç kesimi randevusu al', 'Rezervasyonlarımı göster', 'Bana taksi çağır'],
    ['Βρες εστιατόριο για απόψε', 'Κλείσε κούρεμα για αύριο', 'Δείξε τις κρατήσεις μου', 'Κάλεσέ μου ταξί'],
    ['Найди ресторан на вечер', 'Запиши меня на стрижку на завтра', 'Покажи мои бронирования', 'Вызови мне такси'],
    ['למצוא מסעדה להערב', 'לקבוע תספורת למחר', 'להראות את ההזמנות שלי', 'להזמין לי מונית'],
    ['ابحث عن مطعم لهذا المساء', 'احجز موعد حلاقة للغد', 'اعرض حجوزاتي', 'اطلب لي سيارة أجرة'],
  ],
  message: [
    'Message',
    'Mesaj',
    'Μήνυμα',
    'Сообщение',
    'הודעה',
    'رسالة',
  ],
  placeholder: [
    'Write to Merve',
    'Merve’ye yazın',
    'Γράψτε στη Merve',
    'Напишите Merve',
    'כתבו ל‑Merve',
    'اكتب إلى Merve',
  ],
  send: [
    'Send',
    'Gönder',
    'Αποστολή',
    'Отправить',
    'שליחה',
    'إرسال',
  ],
  hint: [
    'Enter sends, Shift+Enter starts a new line',
    'Enter gönderir, Shift+Enter yeni satır açar',
    'Enter για αποστολή, Shift+Enter για νέα γραμμή',
    'Enter отправляет, Shift+Enter начинает новую строку',
    '‏Enter שולח, Shift+Enter פותח שורה חדשה',
    '‏Enter للإرسال، وShift+Enter لسطر جديد',
  ],
  count: [
    '{n} of {limit} characters',
    '{n} / {limit} karakter',
    '{n} από {limit} χαρακτήρες',
    '{n} из {limit} знаков',
    '{n} מתוך {limit} תווים',
    '{n} من {limit} حرف',
  ],
  you: [
    'You',
    'Siz',
    'Εσείς',
    'Вы',
    'אני',
    'أنت',
  ],
  working: [
    'Merve is writing…',
    'Merve yazıyor…',
    'Η Merve γράφει…',
    'Merve пишет…',
    '‏Merve כותבת…',
    '‏Merve تكتب…',
  ],
  longer: [
    'Still at work, this takes a little longer…',
    'Hâlâ çalışıyor, biraz daha sürecek…',
    'Ακόμη εργάζεται, θα χρειαστεί λίγο ακόμη…',
    'Ещё работает, нужно чуть больше времени…',
    'עדיין עובדת על זה, עוד רגע…',
    'ما زال العمل جاريًا، سيستغرق قليلًا بعد…',
  ],
  offline: [
    'You are offline. What you write is sent as soon as you are back.',
    'Çevrimdışısınız. Yazdıklarınız bağlantı gelince gönderilir.',
    'Είστε εκτός σύνδεσης. Ό,τι γράψετε θα σταλεί μόλις επανέλθει.',
    'Нет соединения. Сообщения уйдут, как только оно появится.',
    'אין חיבור לרשת. ההודעות יישלחו ברגע שהחיבור יחזור.',
    'أنت غير متصل. تُرسل رسائلك فور عودة الاتصال.',
  ],
  sending: [
    'Sending…',
    'Gönderiliyor…',
    'Αποστολή…',
    'Отправляется…',
    'נשלח…',
    'جارٍ الإرسال…',
  ],
  waiting: [
    'Will be sent when you are back online',
    'Bağlantı gelince gönderilecek',
    'Θα σταλεί όταν επανέλθει η σύνδεση',
    'Уйдёт, когда появится соединение',
    'יישלח כשהחיבור יחזור',
    'تُرسل عند عودة الاتصال',
  ],
  retry: [
    'Try again',
    'Yeniden dene',
    'Δοκιμάστε ξανά',
    'Повторить',
    'לנסות שוב',
    'إعادة المحاولة',
  ],
  edit: [
    'Edit',
    'Düzenle',
    'Επεξεργασία',
    'Изменить',
    'עריכה',
    'تعديل',
  ],
  network: [
    'No answer from Merve.',
    'Merve’den yanıt gelmedi.',
    'Καμία απάντηση από τη Merve.',
    'Merve не отвечает.',
    'אין תשובה מ‑Merve.',
    'لا جواب من Merve.',
  ],
  server: [
    'Something went wrong on our side.',
    'Bizim tarafımızda bir sorun oldu.',
    'Κάτι πήγε στραβά από την πλευρά μας.',
    'У нас что-то пошло не так.',
    'משהו השתבש אצלנו.',
    'حدث خطأ من جهتنا.',
  ],
  busy: [
    'Too much is going on right now.',
    'Şu anda çok yoğunluk var.',
    'Υπάρχει πολλή κίνηση αυτή τη στιγμή.',
    'Сейчас слишком много запросов.',
    'יש עומס רב כרגע.',
    'هناك ضغط كبير الآن.',
  ],
  refused: [
    'This message cannot be sent as it is.',
    'Bu mesaj bu hâliyle gönderilemiyor.',
    'Το μήνυμα δεν μπορεί να σταλεί έτσι.',
    'В таком виде сообщение отправить нельзя.',
    'אי אפשר לשלוח את ההודעה כפי שהיא.',
    'لا يمكن إرسال هذه الرسالة كما هي.',
  ],
  lost: [
    'This conversation is no longer available.',
    'Bu konuşmaya artık ulaşılamıyor.',
    'Αυτή η συνομιλία δεν είναι πια διαθέσιμη.',
    'Этот разговор больше недоступен.',
    'השיחה הזאת כבר אינה זמינה.',
    'هذه المحادثة لم تعد متاحة.',
  ],
  history: [
    'Earlier messages could not be loaded.',
    'Önceki mesajlar yüklenemedi.',
    'Τα παλαιότερα μηνύματα δεν φορτώθηκαν.',
    'Не удалось загрузить более ранние сообщения.',
    'לא ניתן היה לטעון הודעות קודמות.',
    'تعذر تحميل الرسائل السابقة.',
  ],
  reference: [
    'Reference: {id}',
    'Kayıt no: {id}',
    'Αναφορά: {id}',
    'Номер обращения: {id}',
    'מספר פנייה: {id}',
    'رقم المرجع: {id}',
  ],
  asked: [
    'Waiting for your answer',
    'Yanıtınız bekleniyor',
    'Περιμένει την απάντησή σας',
    'Ждём вашего ответа',
    'מחכה לתשובה שלך',
    'في انتظار جوابك',
  ],
  yes: [
    'Yes',
    'Evet',
    'Ναι',
    'Да',
    'כן',
    'نعم',
  ],
  no: [
    'No',
    'Hayır',
    'Όχι',
    'Нет',
    'לא',
    'لا',
  ],
  left: [
    '{time} left',
    '{time} kaldı',
    'απομένουν {time}',
    'осталось {time}',
    'נותרו {time}',
    'بقي {time}',
  ],
  minute: [
    'One minute left to answer.',
    'Yanıtlamak için bir dakika kaldı.',
    'Απομένει ένα λεπτό για να απαντήσετε.',
    'На ответ осталась одна минута.',
    'נותרה דקה אחת לענות.',
    'بقيت دقيقة واحدة للرد.',
  ],
  expired: [
    'The offer has expired.',
    'Teklifin süresi doldu.',
    'Η προσφορά έληξε.',
    'Срок предложения истёк.',
    'ההצעה פגה.',
    'انتهت مدة العرض.',
  ],
  choices: [
    'What you can do',
    'Yapabilecekleriniz',
    'Τι μπορείτε να κάνετε',
    'Что можно сделать',
    'מה אפשר לעשות',
    'ما يمكنك فعله',
  ],
  book: [
    'Book',
    'Ayırt',
    'Κράτηση',
    'Забронировать',
    'הזמנה',
    'حجز',
  ],
  bookOne: [
    'Book {name}',
    'Ayırt: {name}',
    'Κράτηση: {name}',
    'Забронировать: {name}',
    'הזמנה: {name}',
    'حجز: {name}',
  ],
  bookText: [
    'Book: {name}',
    'Rezervasyon: {name}',
    'Κράτηση: {name}',
    'Забронировать: {name}',
    'הזמנה: {name}',
    'حجز: {name}',
  ],
  details: [
    'Details',
    'Ayrıntılar',
    'Λεπτομέρειες',
    'Подробнее',
    'פרטים',
    'التفاصيل',
  ],
  detailsText: [
    'Details: {name}',
    'Ayrıntılar: {name}',
    'Λεπτομέρειες: {name}',
    'Подробнее: {name}',
    'פרטים: {name}',
    'التفاصيل: {name}',
  ],
  booking: [
    'Booking',
    'Rezervasyon',
    'Κράτηση',
    'Бронирование',
    'הזמנה',
    'حجز',
  ],
  when: [
    'When',
    'Zaman',
    'Πότε',
    'Когда',
    'מתי',
    'الموعد',
  ],
  party: [
    'People',
    'Kişi sayısı',
    'Άτομα',
    'Гостей',
    'אנשים',
    'الأشخاص',
  ],
  price: [
    'Price',
    'Fiyat',
    'Τιμή',
    'Цена',
    'מחיר',
    'السعر',
  ],
  code: [
    'Code',
    'Kod',
    'Κωδικός',
    'Код',
    'קוד',
    'الرمز',
  ],
  map: [
    'Show on the map',
    'Haritada göster',
    'Στον χάρτη',
    'Показать на карте',
    'להציג במפה',
    'عرض على الخريطة',
  ],
  draft: [
    'Draft',
    'Taslak',
    'Πρόχειρο',
    'Черновик',
    'טיוטה',
    'مسودة',
  ],
  hold: [
    'Held for you',
    'Sizin için tutuluyor',
    'Κρατείται για εσάς',
    'Держим для вас',
    'שמור בשבילך',
    'محجوز لك مؤقتًا',
  ],
  confirmed: [
    'Confirmed',
    'Onaylandı',
    'Επιβεβαιώθηκε',
    'Подтверждено',
    'אושר',
    'مؤكد',
  ],
  cancelled: [
    'Cancelled',
    'İptal edildi',
    'Ακυρώθηκε',
    'Отменено',
    'בוטל',
    'ملغى',
  ],
  closed: [
    'Expired',
    'Süresi doldu',
    'Έληξε',
    'Срок истёк',
    'פג תוקף',
    'انتهت المدة',
  ],
  again: [
    'It is tried again by itself.',
    'Kendiliğinden yeniden denenir.',
    'Γίνεται νέα προσπάθεια αυτόματα.',
    'Попытка повторится сама.',
    'ננסה שוב מעצמנו.',
    'ستُعاد المحاولة تلقائيًا.',
  ],
  doSearch: [
    'Looking through the listings…',
    'İlanlara bakılıyor…',
    'Ψάχνω στους καταλόγους…',
    'Просматриваю предложения…',
    'מחפשת בהיצע…',
    'أبحث في العروض…',
  ],
  doTimes: [
    'Checking free times…',
    'Boş saatlere bakılıyor…',
    'Ελέγχω τις ελεύθερες ώρες…',
    'Проверяю свободное время…',
    'בודקת שעות פנויות…',
    'أتحقق من الأوقات المتاحة…',
  ],
  doPlaces: [
    'Looking for places…',
    'Yerler aranıyor…',
    'Ψάχνω μέρη…',
    'Ищу места…',
    'מחפשת מקומות…',
    'أبحث عن أماكن…',
  ],
  doBook: [
    'Preparing your booking…',
    'Rezervasyonunuz hazırlanıyor…',
    'Ετοιμάζω την κράτησή σας…',
    'Готовлю бронирование…',
    'מכינה את ההזמנה…',
    'أجهّز حجزك…',
  ],
  doMine: [
    'Looking up your bookings…',
    'Rezervasyonlarınıza bakılıyor…',
    'Βλέπω τις κρατήσεις σας…',
    'Смотрю ваши бронирования…',
    'בודקת את ההזמנות שלך…',
    'أراجع حجوزاتك…',
  ],
  doOrder: [
    'Preparing your order…',
    'Siparişiniz hazırlanıyor…',
    'Ετοιμάζω την παραγγελία σας…',
    'Готовлю заказ…',
    'מכינה את ההזמנה לעסק…',
    'أجهّز طلبك…',
  ],
  doTaxi: [
    'Asking for a taxi…',
    'Taksi soruluyor…',
    'Ζητώ ταξί…',
    'Ищу такси…',
    'מבקשת מונית…',
    'أطلب سيارة أجرة…',
  ],
  doPay: [
    'Preparing the payment…',
    'Ödeme hazırlanıyor…',
    'Ετοιμάζω την πληρωμή…',
    'Готовлю оплату…',
    'מכינה את התשלום…',
    'أجهّز الدفع…',
  ],
  doWrite: [
    'Preparing a message…',
    'Mesaj hazırlanıyor…',
    'Ετοιμάζω ένα μήνυμα…',
    'Готовлю сообщение…',
    'מכינה הודעה…',
    'أجهّز رسالة…',
  ],
  addPhoto: [
    'Add photos',
    'Fotoğraf ekle',
    'Προσθήκη φωτογραφιών',
    'Добавить фото',
    'הוספת תמונות',
    'إضافة صور',
  ],
  photo: [
    'Photo {n}',
    'Fotoğraf {n}',
    'Φωτογραφία {n}',
    'Фото {n}',
    'תמונה {n}',
    'صورة {n}',
  ],
  remove: [
    'Remove {name}',
    'Kaldır: {name}',
    'Αφαίρεση: {name}',
    'Убрать: {name}',
    'הסרה: {name}',
    'إزالة: {name}',
  ],
  uploading: [
    'Uploading {name}',
    'Yükleniyor: {name}',
    'Μεταφόρτωση: {name}',
    'Загружается: {name}',
    'מעלה: {name}',
    'جارٍ رفع {name}',
  ],
  photoFailed: [
    '{name} could not be uploaded.',
    '{name} yüklenemedi.',
    'Δεν μεταφορτώθηκε: {name}.',
    'Не загружено: {name}.',
    'לא הועלתה: {name}.',
    'تعذر رفع {name}.',
  ],
  photoBad: [
    '{name} is not a picture that can be shown.',
    '{name} gösterilebilir bir resim değil.',
    'Το αρχείο {name} δεν είναι εικόνα που μπορεί να εμφανιστεί.',
    '{name} – не изображение, которое можно показать.',
    '‏{name} אינו תמונה שאפשר להציג.',
    '{name} ليس صورة يمكن عرضها.',
  ],
  photoMost: [
    'At most {n} photos in one message.',
    'Bir mesajda en çok {n} fotoğraf.',
    'Έως {n} φωτογραφίες ανά μήνυμα.',
    'Не больше {n} фото в одном сообщении.',
    'עד {n} תמונות בהודעה.',
    '{n} صور كحد أقصى في الرسالة.',
  ],
  here: [
    'Send my location',
    'Konumumu gönder',
    'Αποστολή της θέσης μου',
    'Отправить моё местоположение',
    'שליחת המיקום שלי',
    'إرسال موقعي',
  ],
  hereSent: [
    'My location',
    'Konumum',
    'Η θέση μου',
    'Моё местоположение',
    'המיקום שלי',
    'موقعي',
  ],
  locating: [
    'Finding out where you are…',
    'Konumunuz bulunuyor…',
    'Εντοπισμός της θέσης σας…',
    'Определяю, где вы…',
    'מאתרת את המיקום…',
    'جارٍ تحديد موقعك…',
  ],
  denied: [
    'This page may not see where you are. Allow it in the browser’s settings, or write the address.',
    'Bu sayfanın konumunuzu görmesine izin yok. Tarayıcı ayarlarından izin verin ya da adresi yazın.',
    'Η σελίδα δεν έχει άδεια να δει πού είστε. Δώστε την στις ρυθμίσεις ή γράψτε τη διεύθυνση.',
    'Странице не разрешено знать, где вы. Разрешите в настройках браузера или напишите адрес.',
    'לדף אין הרשאה לראות היכן אתם. אפשרו זאת בהגדרות הדפדפן, או כתבו את הכתובת.',
    'لا يُسمح للصفحة بمعرفة موقعك. اسمح بذلك في إعدادات المتصفح أو اكتب العنوان.',
  ],
  nowhere: [
    'Your location could not be found. Write the address instead.',
    'Konumunuz bulunamadı. Adresi yazın.',
    'Η θέση σας δεν βρέθηκε. Γράψτε τη διεύθυνση.',
    'Не удалось определить, где вы. Напишите адрес.',
    'לא ניתן לאתר את המיקום. כתבו את הכתובת.',
    'تعذر تحديد موقعك. اكتب العنوان.',
  ],
  mapOf: [
    'Map',
    'Harita',
    'Χάρτης',
    'Карта',
    'מפה',
    'خريطة',
  ],
  nearer: [
    'Zoom in',
    'Yakınlaştır',
    'Μεγέθυνση',
    'Приблизить',
    'התקרבות',
    'تكبير',
  ],
  farther: [
    'Zoom out',
    'Uzaklaştır',
    'Σμίκρυνση',
    'Отдалить',
    'התרחקות',
    'تصغير',
  ],
  open: [
    'Open now',
    'Şimdi açık',
    'Ανοιχτό τώρα',
    'Сейчас открыто',
    'פתוח עכשיו',
    'مفتوح الآن',
  ],
  shut: [
    'Closed now',
    'Şimdi kapalı',
    'Κλειστό τώρα',
    'Сейчас закрыто',
    'סגור עכשיו',
    'مغلق الآن',
  ],
  call: [
    'Call',
    'Ara',
    'Κλήση',
    'Позвонить',
    'התקשרות',
    'اتصال',
  ],
  callOne: [
    'Call {name}',
    'Ara: {name}',
    'Κλήση: {name}',
    'Позвонить: {name}',
    'התקשרות: {name}',
    'اتصال: {name}',
  ],
  pay: [
    'Pay',
    'Öde',
    'Πληρωμή',
    'Оплатить',
    'לתשלום',
    'ادفع',
  ],
  order: [
    'Order',
    'Sipariş',
    'Παραγγελία',
    'Заказ',
    'הזמנה מעסק',
    'طلب',
  ],
  service: [
    'Request',
    'Talep',
    'Αίτημα',
    'Заявка',
    'בקשה',
    'طلب خدمة',
  ],
  viewing: [
    'Viewing',
    'Gezme randevusu',
    'Επίσκεψη',
    'Просмотр',
    'ביקור בנכס',
    'معاينة',
  ],
  taxi: [
    'Taxi',
    'Taksi',
    'Ταξί',
    'Такси',
    'מונית',
    'سيارة أجرة',
  ],
  payment: [
    'Payment',
    'Ödeme',
    'Πληρωμή',
    'Оплата',
    'תשלום',
    'دفع',
  ],
  total: [
    'Total',
    'Toplam',
    'Σύνολο',
    'Итого',
    'סך הכול',
    'المجموع',
  ],
  delivery: [
    'Deliver to',
    'Teslimat',
    'Παράδοση',
    'Куда',
    'למסור אל',
    'التوصيل إلى',
  ],
  eta: [
    'Expected',
    'Beklenen',
    'Αναμένεται',
    'Ожидается',
    'צפוי',
    'المتوقع',
  ],
  from: [
    'From',
    'Nereden',
    'Από',
    'Откуда',
    'מאיפה',
    'من',
  ],
  to: [
    'To',
    'Nereye',
    'Προς',
    'Куда',
    'לאן',
    'إلى',
  ],
  driver: [
    'Driver',
    'Sürücü',
    'Οδηγός',
    'Водитель',
    'נהג',
    'السائق',
  ],
  vehicle: [
    'Car',
    'Araç',
    'Όχημα',
    'Машина',
    'רכב',
    'السيارة',
  ],
  plate: [
    'Number plate',
    'Plaka',
    'Πινακίδα',
    'Номер',
    'לוחית רישוי',
    'اللوحة',
  ],
  asking: [
    'Waiting for an answer',
    'Yanıt bekleniyor',
    'Αναμονή απάντησης',
    'Ждём ответа',
    'ממתין לתשובה',
    'بانتظار الرد',
  ],
  accepted: [
    'Accepted',
    'Kabul edildi',
    'Έγινε δεκτό',
    'Принято',
    'התקבל',
    'تم القبول',
  ],
  unanswered: [
    'No answer',
    'Yanıt yok',
    'Καμία απάντηση',
    'Нет ответа',
    'אין תשובה',
    'لا رد',
  ],
  finished: [
    'Done',
    'Tamamlandı',
    'Ολοκληρώθηκε',
    'Выполнено',
    'הושלם',
    'تم',
  ],
  seeking: [
    'Looking for a driver',
    'Sürücü aranıyor',
    'Αναζήτηση οδηγού',
    'Ищем водителя',
    'מחפשים נהג',
    'نبحث عن سائق',
  ],
  coming: [
    'On the way to you',
    'Size geliyor',
    'Έρχεται σε εσάς',
    'Едет к вам',
    'בדרך אליך',
    'في الطريق إليك',
  ],
  there: [
    'Waiting for you',
    'Sizi bekliyor',
    'Σας περιμένει',
    'Ждёт вас',
    'מחכה לך',
    'بانتظارك',
  ],
  unserved: [
    'No driver found',
    'Sürücü bulunamadı',
    'Δεν βρέθηκε οδηγός',
    'Водитель не найден',
    'לא נמצא נהג',
    'لم يُعثر على سائق',
  ],
  unpaid: [
    'To be paid',
    'Ödenecek',
    'Προς πληρωμή',
    'К оплате',
    'לתשלום',
    'بانتظار الدفع',
  ],
  paid: [
    'Paid',
    'Ödendi',
    'Πληρώθηκε',
    'Оплачено',
    'שולם',
    'مدفوع',
  ],
  refunded: [
    'Refunded',
    'İade edildi',
    'Επιστράφηκε',
    'Возвращено',
    'הוחזר',
    'مُسترد',
  ],
  unmade: [
    'Did not work',
    'Olmadı',
    'Απέτυχε',
    'Не прошло',
    'נכשל',
    'فشل',
  ],
  declined: [
    'Refused',
    'Reddedildi',
    'Δεν έγινε δεκτό',
    'Отклонено',
    'נדחה',
    'مرفوض',
  ],
};

export const words = Object.fromEntries(Object.keys(languages).map((language, i) => [
  language, Object.fromEntries(Object.entries(texts).map(([key, all]) => [key, all[i]])),
]));

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
