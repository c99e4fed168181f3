package channel_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/fault"
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
		"at the date line":  {func(in *channel.Inbound) { in.Location = &channel.Location{Lat: -90, Lng: 180} }, "", ""},
		"north of the pole": {func(in *channel.Inbound) { in.Location = &channel.Location{Lat: 90.01} }, "location", fault.Invalid},
		"round the world":   {func(in *channel.Inbound) { in.Location = &channel.Location{Lng: -180.01} }, "location", fault.Invalid},
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

func TestMeters(t *testing.T) {
	t.Parallel()
	kyrenia, nicosia := channel.Location{Lat: 35.3364, Lng: 33.3182}, channel.Location{Lat: 35.1856, Lng: 33.3823}
	for name, tt := range map[string]struct {
		a, b channel.Location
		want float64
	}{
		"none":                   {kyrenia, kyrenia, 0},
		"between two towns":      {kyrenia, nicosia, 17_749.5},
		"over the 180th":         {channel.Location{Lat: 0, Lng: 179.5}, channel.Location{Lat: 0, Lng: -179.5}, channel.EarthRadius * math.Pi / 180},
		"over the pole":          {channel.Location{Lat: 89.5, Lng: 10}, channel.Location{Lat: 89.5, Lng: -170}, channel.EarthRadius * math.Pi / 180},
		"to the other side":      {channel.Location{Lat: 10, Lng: 20}, channel.Location{Lat: -10, Lng: -160}, channel.EarthRadius * math.Pi},
		"the pole has many lngs": {channel.Location{Lat: 90, Lng: 10}, channel.Location{Lat: 90, Lng: -90}, 0},
	} {
		if got := tt.a.Meters(tt.b); math.Abs(got-tt.want) > 1 || got != tt.b.Meters(tt.a) {
			t.Errorf("%s: %.1f m, want %.1f", name, got, tt.want)
		}
	}
}
