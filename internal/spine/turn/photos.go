package turn

import (
	"context"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
	"merve/internal/words/language"
)

// Photos keeps what customers attach, and shows it to models that see.
type Photos interface {
	Keep(ctx context.Context, thread string, m channel.Media) (media.Kept, error)
	Image(ctx context.Context, stored string) (string, error)
}

// photo is what became of an attachment: a name that tools take, or why there is none.
type photo struct {
	name  string // "photo:…"
	why   string
	image string // for a model that sees; "" for none
}

const (
	photosFor = 15 * time.Second // to fetch and keep the photos of a turn
	maxImages = 6                // photos that a model is shown in one turn, the latest
)

// keepPhotos keeps what the messages to be answered bring, all at once. A photo that cannot
// be kept does not keep the turn from answering: the model is told why.
func (w *work) keepPhotos(ctx context.Context) {
	if w.r.Photos == nil || !w.assistant.Photos {
		return
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, photosFor)
	defer cancel()
	var mu sync.Mutex
	var keeping sync.WaitGroup
	for _, a := range newMedia(w.in, w.photos) {
		keeping.Go(func() {
			p := w.keepPhoto(ctx, a)
			mu.Lock()
			defer mu.Unlock()
			w.photos[a.URL] = p
		})
	}
	keeping.Wait()
	telemetry.CountTime(ctx, "photos", time.Since(start))
}

// newMedia lists the attachments of messages that nothing has become of yet, and makes
// room for it.
func newMedia(in []thread.Message, known map[string]photo) []channel.Media {
	var all []channel.Media
	for _, m := range in {
		for _, a := range m.Media {
			if _, ok := known[a.URL]; !ok && a.MayBePhoto() {
				known[a.URL] = photo{}
				all = append(all, a)
			}
		}
	}
	return all
}

func (w *work) keepPhoto(ctx context.Context, a channel.Media) photo {
	kept, err := w.r.Photos.Keep(ctx, w.thread.ID, a)
	if err != nil {
		w.log.WarnContext(ctx, "photo not kept", "thread", w.thread.ID, "kind", fault.KindOf(err), "error", err.Error())
		why, _ := fault.Public(err)
		return photo{why: why}
	}
	p := photo{name: kept.Ref}
	if w.assistant.Sees {
		if p.image, err = w.r.Photos.Image(ctx, kept.Stored); err != nil {
			w.log.WarnContext(ctx, "photo not shown to the model", "thread", w.thread.ID, "error", err.Error())
		}
	}
	return p
}

// imagesOf are a message's photos as a model sees them.
func (w *work) imagesOf(m thread.Message) []string {
	var images []string
	for _, a := range m.Media {
		if p := w.photos[a.URL]; p.image != "" && w.images < maxImages {
			images = append(images, p.image)
			w.images++
		}
	}
	return images
}

// attached puts an attachment into words.
func (w *work) attached(a channel.Media) string {
	p, kept := w.photos[a.URL]
	switch {
	case !w.assistant.Photos || !a.MayBePhoto():
		return "[attachment: " + language.Brief(a.Type, 40) + "]"
	case kept && p.name == "":
		return "[a photo that could not be taken: " + p.why + "]"
	}
	return "[" + media.Ref(a.URL) + "]"
}
