package gate

import "testing"

// Whoever refuses to be called is understood, in each of the ten languages and however they put it. Who asks to be called, or
// talks of something else, has not refused.
func TestField64_WordsThatRefuseCalls(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Please do not call me", "stop calling me", "Don't phone me any more", "no calls please", "never ring me again", "I'd rather you didn't call",
		"I don’t want to be called", "No phone calls.", "Thanks. But nobody should telephone me!", "cancel the call", "without calling, please",
		"Beni aramayın", "beni arama lütfen", "Aramasınlar", "telefon etmeyin", "Aranmak istemiyorum", "telefonla aramanıza gerek yok", "lütfen aramayı kesin",
		"μη με καλέσετε", "Μην τηλεφωνείτε", "δεν θέλω να με καλέσετε", "σταματήστε να με παίρνετε τηλέφωνο", "όχι κλήσεις", "χωρίς τηλεφωνήματα παρακαλώ",
		"не звоните мне", "Пожалуйста, не надо мне звонить", "перестаньте звонить", "без звонков", "хватит названивать", "мне не нужны звонки",
		"אל תתקשרו אליי", "לא להתקשר אלי", "תפסיקו להתקשר", "בלי שיחות טלפון בבקשה", "אני לא רוצה שיתקשרו", "אל תצלצלו",
		"لا تتصلوا بي", "من فضلكم لا تتصل", "لا أريد مكالمات", "توقفوا عن الاتصال بي", "بدون اتصال هاتفي", "متتصلوش بيا",
		"ruf mich nicht an", "Bitte keine Anrufe", "Hören Sie auf, mich anzurufen", "ich will nicht angerufen werden", "ohne Telefonat bitte", "Rufen Sie mich niemals an",
		"no me llamen", "No quiero llamadas", "dejen de llamarme", "sin llamadas por favor", "nunca me llame", "no me telefonee",
		"ne m'appelez pas", "N’appelez plus", "pas d'appel s'il vous plaît", "arrêtez de m'appeler", "je ne veux pas être appelé", "inutile de téléphoner",
		"msinipigie simu", "usinipigie", "sitaki kupigiwa simu", "acheni kunipigia", "tafadhali msipige simu", "bila simu",
		"STOP", "стоп",
	} {
		if !RefusesCalls(text) {
			t.Errorf("%q refuses calls", text)
		}
	}
	for _, text := range []string{
		"", "Please call me", "call me on Monday", "I have no generator. Call me at five", "no thanks", "Do not send flowers",
		"Beni arayın", "araba yok", "Aralıkta gelmeyin", "καλέστε με", "позвоните мне завтра", "תתקשרו אליי", "اتصلوا بي", "Rufen Sie mich an",
		"llámenme mañana", "appelez-moi plus tard", "nipigieni simu", "nipigie simu usiku", "Is the stage not delivered?",
	} {
		if RefusesCalls(text) {
			t.Errorf("%q refuses no calls", text)
		}
	}
}
