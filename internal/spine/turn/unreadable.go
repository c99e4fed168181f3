package turn

import (
	"context"
	"strings"

	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// unreadable answers messages in which nothing can be read: voice notes, films, documents, contacts, nothing at all. The
// model is not asked about what it cannot see. What waits for YES or NO goes on waiting.
func (w *work) unreadable(ctx context.Context, p *progress) (say reply, done bool, err error) {
	key, ok := whyUnreadable(w.in)
	if !ok {
		return reply{}, false, nil
	}
	return reply{text: w.say(key, nil)}, true, w.offers.remind(ctx, p)
}

// whyUnreadable says why nothing in some messages can be read; ok is false when something can.
func whyUnreadable(in []thread.Message) (key wording.Key, ok bool) {
	key = wording.NoText
	for _, m := range in {
		if strings.TrimSpace(m.Text) != "" || m.Location != nil || m.Button != "" || m.Notice != nil {
			return "", false
		}
		for _, a := range m.Media {
			switch kind, _, _ := strings.Cut(a.Type, "/"); {
			case a.MayBePhoto():
				return "", false
			case kind == "audio":
				key = wording.VoiceUnsupported
			case key == wording.NoText:
				key = wording.MediaUnsupported
			}
		}
	}
	return key, true
}
