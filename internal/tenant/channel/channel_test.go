package channel_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/tenant/channel"
)

// What each channel carries back, and for how long.
func TestChannels(t *testing.T) {
	t.Parallel()
	type limits struct {
		Pushes           bool
		Piece            int
		Window, ByPerson time.Duration
	}
	day := 24 * time.Hour
	want := map[channel.Channel]limits{
		channel.App: {}, channel.Web: {}, channel.Live: {},
		channel.WhatsApp:  {true, 1600, day, day},
		channel.Messenger: {true, 2000, day, 7 * day},
	}
	got := map[channel.Channel]limits{}
	for c := range want {
		got[c] = limits{c.Pushes(), c.MaxPiece(), c.Window(false), c.Window(true)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A type says too little to refuse a photo by it, unless it is another kind of thing.
func TestMayBePhoto(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]bool{
		"": true, "image": true, "image/jpeg": true, "image/": true,
		"audio/ogg": false, "video": false, "file": false, "images": false, "application/pdf": false,
	} {
		if got := (channel.Media{Type: typ}).MayBePhoto(); got != want {
			t.Errorf("%q: %v, want %v", typ, got, want)
		}
	}
}

// The first field that is not usable is named.
func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(in *channel.Inbound)
		field  string
		kind   fault.Kind
	}{
		"all right":         {func(*channel.Inbound) {}, "", ""},
		"no market":         {func(in *channel.Inbound) { in.Market = "" }, "marketId", fault.Invalid},
		"no sender":         {func(in *channel.Inbound) { in.From.ID = "" }, "", fault.Unauthenticated},
		"no id":             {func(in *channel.Inbound) { in.MessageID = "" }, "messageId", fault.Invalid},
		"not UTF-8":         {func(in *channel.Inbound) { in.Text = "\xff" }, "message", fault.Invalid},
		"longest":           {func(in *channel.Inbound) { in.Text = strings.Repeat("ё", channel.MaxText) }, "", ""},
		"too long":          {func(in *channel.Inbound) { in.Text = strings.Repeat("ё", channel.MaxText+1) }, "message", fault.Invalid},
		"most attachments":  {func(in *channel.Inbound) { in.Media = make([]channel.Media, channel.MaxMedia) }, "", ""},
		"more attachments":  {func(in *channel.Inbound) { in.Media = make([]channel.Media, channel.MaxMedia+1) }, "attachments", fault.Invalid},
		"at the date line":  {func(in *channel.Inbound) { in.Location = &geo.Location{Lat: -90, Lng: 180} }, "", ""},
		"north of the pole": {func(in *channel.Inbound) { in.Location = &geo.Location{Lat: 90.01} }, "location", fault.Invalid},
		"round the world":   {func(in *channel.Inbound) { in.Location = &geo.Location{Lng: -180.01} }, "location", fault.Invalid},
	} {
		in := channel.Inbound{Market: "demo", Channel: channel.Messenger, From: actor.Actor{ID: "1"}, MessageID: "m", Text: "hi"}
		tt.change(&in)
		err := in.Check()
		field := ""
		if err != nil {
			_, field = fault.Public(err)
		}
		if field != tt.field || tt.kind != "" && !fault.Is(err, tt.kind) || tt.kind == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
