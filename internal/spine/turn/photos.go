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

// photo is the result of keeping an attachment: a name that tools accept, or the reason why there is none.
type photo struct {
	name  string // "photo:…"
	why   string
	image string // for a model that sees; "" for none
}

// album keeps the photos of a turn's messages, and puts attachments into words and images for the model.
type album struct {
	*scene
	store  Photos           // nil keeps none
	photos map[string]photo // by the attachment's address
	shown  int              // how many images the model was given
}

const (
	photosFor = 15 * time.Second // to fetch and keep the photos of a turn
	maxImages = 6                // images that a model is given in one turn
)

// keep keeps the photos of the messages to be answered, all at once. A photo that cannot be kept does not stop the turn:
// the model is told why.
func (a *album) keep(ctx context.Context) {
	if a.store == nil || !a.assistant.Photos {
		return
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, photosFor)
	defer cancel()
	var mu sync.Mutex
	var keeping sync.WaitGroup
	for _, m := range a.newPhotos() {
		keeping.Go(func() {
			p := a.keepOne(ctx, m)
			mu.Lock()
			defer mu.Unlock()
			a.photos[m.URL] = p
		})
	}
	keeping.Wait()
	telemetry.CountTime(ctx, "photos", time.Since(start))
}

// newPhotos lists the attachments that were not tried yet, and enters each as one that failed until it is kept.
func (a *album) newPhotos() []channel.Media {
	var all []channel.Media
	for _, in := range a.in {
		for _, m := range in.Media {
			if _, ok := a.photos[m.URL]; !ok && m.MayBePhoto() {
				a.photos[m.URL] = photo{}
				all = append(all, m)
			}
		}
	}
	return all
}

func (a *album) keepOne(ctx context.Context, m channel.Media) photo {
	kept, err := a.store.Keep(ctx, a.thread.ID, m)
	if err != nil {
		a.log.WarnContext(ctx, "photo not kept", "thread", a.thread.ID, "kind", fault.KindOf(err), "error", err.Error())
		why, _ := fault.Public(err)
		return photo{why: why}
	}
	p := photo{name: kept.Ref}
	if a.assistant.Sees {
		if p.image, err = a.store.Image(ctx, kept.Stored); err != nil {
			a.log.WarnContext(ctx, "photo not shown to the model", "thread", a.thread.ID, "error", err.Error())
		}
	}
	return p
}

// images are a message's photos for a model that sees.
func (a *album) images(m thread.Message) []string {
	var images []string
	for _, attached := range m.Media {
		if p := a.photos[attached.URL]; p.image != "" && a.shown < maxImages {
			images = append(images, p.image)
			a.shown++
		}
	}
	return images
}

// describe puts an attachment into words.
func (a *album) describe(m channel.Media) string {
	p, kept := a.photos[m.URL]
	switch {
	case !a.assistant.Photos || !m.MayBePhoto():
		return "[attachment: " + language.Brief(m.Type, 40) + "]"
	case kept && p.name == "":
		return "[a photo that could not be taken: " + p.why + "]"
	}
	return "[" + media.Ref(m.URL) + "]"
}
