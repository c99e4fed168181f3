package gate

import (
	"testing"
	"time"

	"merve/internal/base/geo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	offer := &thread.Pending{ID: "p1", CreatedAt: made, ExpiresAt: made.Add(10 * time.Minute)}
	at := func(after time.Duration, m thread.Message) thread.Message {
		m.At = made.Add(after)
		if m.ID == "" {
			m.ID = "m1"
		}
		return m
	}
	text := func(after time.Duration, s string) thread.Message { return at(after, thread.Message{Text: s}) }
	tests := []struct {
		name    string
		pending *thread.Pending
		msgs    []thread.Message
		refers  map[string]string
		now     time.Duration
		want    Ruling
	}{
		{"nothing pending", nil, []thread.Message{text(1, "yes")}, nil, 1, Free},
		{"yes", offer, []thread.Message{text(time.Second, "Yes!")}, nil, time.Second, Confirmed},
		{"no", offer, []thread.Message{text(time.Second, "no thanks")}, nil, time.Second, Declined},
		{"other", offer, []thread.Message{text(time.Second, "how far is it?")}, nil, time.Second, Waiting},
		{"TestField20 yes, but", offer, []thread.Message{text(time.Second, "yes but 8 pm")}, nil, time.Second, Waiting},
		{"yes and then a change", offer, []thread.Message{text(time.Second, "yes"), text(2*time.Second, "but at 8")}, nil, 2 * time.Second, Waiting},
		{"yes and then no", offer, []thread.Message{text(time.Second, "yes"), text(2*time.Second, "no")}, nil, 2 * time.Second, Waiting},
		{"yes twice", offer, []thread.Message{text(time.Second, "yes"), text(2*time.Second, "evet")}, nil, 2 * time.Second, Confirmed},
		{"yes before the offer", offer, []thread.Message{text(0, "yes")}, nil, time.Second, Waiting},
		{"written before the offer, come after it", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", Wrote: made.Add(-time.Second)})}, nil, time.Second, Waiting},
		{"written after the offer, come later", offer, []thread.Message{at(time.Minute, thread.Message{Text: "yes", Wrote: made.Add(time.Second)})}, nil, time.Minute, Confirmed},
		{"yes with a photo", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", Media: []channel.Media{{URL: "u"}}})}, nil, time.Second, Waiting},
		{"yes with a place", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", Location: &geo.Location{Lat: 35.33, Lng: 33.32}})}, nil, time.Second, Waiting},
		{"last moment", offer, []thread.Message{text(time.Minute, "yes")}, nil, 9*time.Minute + 29*time.Second, Confirmed},
		{"TestField14 within the buffer", offer, []thread.Message{text(time.Minute, "yes")}, nil, 9*time.Minute + 30*time.Second, TooLate},
		{"TestField14 a second after", offer, []thread.Message{text(time.Minute, "yes")}, nil, 10*time.Minute + time.Second, TooLate},
		{"no after expiry", offer, []thread.Message{text(time.Minute, "no")}, nil, 11 * time.Minute, Declined},
		{"new topic after expiry", offer, []thread.Message{text(time.Minute, "sushi?")}, nil, 11 * time.Minute, Lapsed},
		{"TestField21 button of this offer", offer, []thread.Message{at(time.Second, thread.Message{Button: "yes:p1"})}, nil, time.Second, Confirmed},
		{"TestField21 button of an old offer", offer, []thread.Message{at(time.Second, thread.Message{Button: "yes:p0", Text: "YES"})}, nil, time.Second, OldOffer},
		{"no button of an old offer", offer, []thread.Message{at(time.Second, thread.Message{Button: "no:p0"})}, nil, time.Second, OldOffer},
		{"button, nothing pending", nil, []thread.Message{at(time.Second, thread.Message{Button: "yes:p0"})}, nil, time.Second, OldOffer},
		{"somebody else's button", offer, []thread.Message{at(time.Second, thread.Message{Button: "GET_STARTED", Text: "Yes"})}, nil, time.Second, Waiting},
		{"somebody else's button as a reply", offer, []thread.Message{at(time.Second, thread.Message{Button: "yes", Text: "No", ReplyTo: "SM1"})}, map[string]string{"m1": "p1"}, time.Second, Waiting},
		{"TestField21 reply to this offer", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", ReplyTo: "SM1"})}, map[string]string{"m1": "p1"}, time.Second, Confirmed},
		{"TestField21 reply to another", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", ReplyTo: "SM0"})}, map[string]string{"m1": "p0"}, time.Second, OldOffer},
		{"reply to something unknown", offer, []thread.Message{at(time.Second, thread.Message{Text: "yes", ReplyTo: "SMx"})}, nil, time.Second, OldOffer},
		{"question as a reply", offer, []thread.Message{at(time.Second, thread.Message{Text: "where is it?", ReplyTo: "SMx"})}, nil, time.Second, Waiting},
		{"no messages", offer, nil, nil, time.Second, Waiting},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Decide(tt.pending, Other, tt.msgs, tt.refers, made.Add(tt.now)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Words that name a booking are a YES where one is made, and ask again anywhere else; beside
// another YES, in one message or in two, they make no difference where one is made.
func TestYesThatNamesABooking(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := &thread.Pending{ID: "p1", CreatedAt: made, ExpiresAt: made.Add(10 * time.Minute)}
	for _, texts := range [][]string{
		{"Confirm my booking"}, {"book it"}, {"yes", "book it"}, {"rezervasyonu onayla"}, {"resérvalo"}, {"oui, réservez"}, {"ja, gebucht"},
		{"бронируйте"}, {"כן, תזמין"}, {"أؤكد الحجز"}, {"ndiyo, weka nafasi"},
	} {
		var msgs []thread.Message
		for _, text := range texts {
			msgs = append(msgs, thread.Message{ID: "m", Text: text, At: made.Add(time.Second)})
		}
		for does, want := range map[Deed]Ruling{Books: Confirmed, Keeps: Confirmed, Pays: Confirmed, Cancels: Waiting, Other: Waiting} {
			if got := Decide(p, does, msgs, nil, made.Add(time.Minute)); got != want {
				t.Errorf("%q to deed %d: %s, want %s", texts, does, got, want)
			}
		}
	}
}

// Who is asked whether to cancel, and says to cancel, is asked again, whichever way it is put. CANCEL
// and END alone are what they are to any question, and so is a plain NO. Who is asked about a booking
// that stands, and says to cancel that, is asked again too.
func TestCancelToACancellation(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := &thread.Pending{ID: "p1", CreatedAt: made, ExpiresAt: made.Add(10 * time.Minute)}
	check := func(does Deed, text string, want Ruling) {
		msgs := []thread.Message{{ID: "m", Text: text, At: made.Add(time.Second)}}
		if got := Decide(p, does, msgs, nil, made.Add(time.Minute)); got != want {
			t.Errorf("%q to deed %d: %s, want %s", text, does, got, want)
		}
	}
	named := []string{"Cancel it", "cancel my booking please", "Cancel, please", "cancel, cancel it", "no, cancel it"}
	for _, text := range append(listedPhrases(t, cancel), named...) {
		check(Cancels, text, Waiting)
		check(Books, text, Declined)
		check(Other, text, Declined)
	}
	for _, text := range []string{"CANCEL", "Cancel.", "END", "no", "No, thank you"} {
		check(Cancels, text, Declined)
		check(Keeps, text, Declined)
	}
	for _, text := range []string{"Cancel it", "iptal et", "no, cancel it"} {
		check(Keeps, text, Declined)
	}
	for _, text := range []string{"Cancel my booking", "please cancel the booking", "no, cancel my booking", "annulez la réservation", "إلغاء الحجز"} {
		check(Books, text, Declined)
		check(Keeps, text, Waiting)
	}
}
