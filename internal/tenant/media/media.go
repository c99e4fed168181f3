// Package media keeps the photos that customers attach, since the addresses that channels give for them expire
// (Meta's within hours) or ask for credentials (Twilio's).
//
// # Names
//
// People and models call a photo photo:{id}: id is the start of the SHA-256 of the address it came from, or random if
// it was uploaded. Such a name means a photo of the thread in which it is said and of no other, so that a foreign one
// leads nowhere. Records keep the long name, photo:{thread}/{id}, which needs no context: only [Store.Kept] and
// [Store.Keep] give it out, to callers that act in the thread.
//
//	media/{thread}/{id}    a photo that was examined; never overwritten
//	pending/{thread}/{id}  an upload that nobody has examined; never shown
//
// Other packages keep [Files] below prefixes of their own.
//
// {thread} is the start of the SHA-256 of the thread's id. The bucket's lifecycle deletes what stays pending. Its
// versioning has to be off, or deleted photos stay.
//
// # Promises
//
// What is under media/ is a photo by its bytes: JPEG, PNG, WebP, GIF or HEIC, of at most [MaxBytes], and of a size
// that unfolds to no more than 100 megapixels if the size can be told. Its metadata is gone, above all the place
// where it was taken: anybody with the link to a report can see the photo. S3 serves it under the type that was
// found, never the one that was claimed.
//
// Fetching does not reach private addresses, whatever names, redirects or a changing DNS say, and gives a host no
// credentials but its own.
//
// # Requests
//
//	Fetch    the fetch
//	Keep     known photo: HEAD. New: HEAD, PUT and the fetch.
//	         First use of an upload: HEAD, GET, PUT, DELETE.
//	Kept     HEAD; first use of an upload as above; unknown name: HEAD, GET
//	Upload   none
//	Address  none
//	Image    HEAD when models reach the bucket, else GET; both for a GIF then
//	Delete   2 DELETE
//	DeleteThread  for each of two prefixes: LIST for every 1,000 photos, and a DELETE each
package media

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
	"merve/internal/tenant/channel"
)

// MaxBytes is the largest photo that is taken.
const MaxBytes = 10 << 20

// maxInMemory is how many photos are in memory at a time, each as it came and as it is
// kept: ten attachments of a message are not to take the memory of a function.
const maxInMemory = 3

// Options say where photos are kept.
type Options struct {
	Bucket Bucket

	// Public says that anybody with an address can reach the bucket from the Internet, as a model's provider must.
	// Otherwise models get photos inside the request.
	Public bool

	// AllowPrivate lets photos be fetched from any address, and without TLS: on a
	// developer's machine only.
	AllowPrivate bool

	// Trusted are origins that the configuration names, such as http://127.0.0.1:8090: photos are fetched
	// from them wherever they are.
	Trusted []string

	// Authorize adds what a host (with its port, if it is not 443) wants to see with a
	// request for its photos. It is asked for each request to that very host over TLS.
	Authorize map[string]func(*http.Request)

	Now   func() time.Time // nil is time.Now
	NewID func() string    // 20 hexadecimal digits that nobody can guess; nil: random
}

// Store keeps photos. Safe for concurrent use; nothing goes over the network before it is
// asked for something.
type Store struct {
	s3     *s3
	fetch  *fetcher
	busy   chan struct{} // holds one for each photo in memory
	public bool
	now    func() time.Time
	newID  func() string
}

// New returns a store.
func New(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	permits := exchange.PublicHTTPS
	if o.AllowPrivate {
		permits = func(netip.AddrPort) bool { return true }
	}
	f := newFetcher(permits, net.Dialer{}, nil)
	f.plain, f.authorize, f.trusted = o.AllowPrivate, o.Authorize, o.Trusted
	return &Store{s3: newS3(o.Bucket, o.Now), fetch: f, busy: make(chan struct{}, maxInMemory), public: o.Public, now: o.Now, newID: o.NewID}
}

// Origin is scheme and host of the addresses that the store gives out, for the
// Content-Security-Policy of pages that show or upload photos.
func (s *Store) Origin() string { return s.s3.origin() }

// Kept is a photo in the bucket.
type Kept struct {
	Ref    string // photo:{id}, for people and models
	Stored string // photo:{thread}/{id}, for records
	Type   string // content type, by its bytes
	Bytes  int64  // as it is kept
}

// Keep makes an attachment of a thread one of its photos: fetches it from its address, or
// takes an upload by its name. It may be repeated, and does not fetch again.
//
// Errors are for the customer's ears: [fault.TooLarge], [fault.Invalid] for what is no
// photo and for an address that is not public, [fault.Gone] when the address has expired,
// [fault.NotFound] for a name without photo, [fault.Unavailable] when the host or the
// bucket does not answer.
func (s *Store) Keep(ctx context.Context, thread string, m channel.Media) (Kept, error) {
	p, err := placeOf(thread, m.URL)
	if err != nil {
		return Kept{}, err
	}
	k, err := s.look(ctx, p)
	switch {
	case !errors.Is(err, errMissing):
		return k, err
	case isRef(m.URL):
		return s.admit(ctx, p)
	case !m.MayBePhoto():
		return Kept{}, fault.New(fault.Invalid, "the attachment is not a photo")
	}
	defer s.room(ctx)()
	data, err := s.fetch.fetch(ctx, m.URL)
	if err != nil {
		return Kept{}, err
	}
	return s.publish(ctx, p, data)
}

// Fetch returns the bytes at an address that a stranger has chosen, under the same rules as fetching photos. The
// caller must find out what the bytes are. Errors are as those of [Store.Keep].
func (s *Store) Fetch(ctx context.Context, address string) ([]byte, error) {
	defer s.room(ctx)()
	return s.fetch.fetch(ctx, address)
}

// Kept returns the long name of a photo of a thread, which is given by the address it came
// from or by either name. A photo that is not kept in this thread is [fault.NotFound].
func (s *Store) Kept(ctx context.Context, thread, addressOrRef string) (stored string, err error) {
	p, err := placeOf(thread, addressOrRef)
	if err != nil {
		return "", err
	}
	k, err := s.look(ctx, p)
	if errors.Is(err, errMissing) && isRef(addressOrRef) {
		k, err = s.admit(ctx, p)
	}
	if errors.Is(err, errMissing) {
		return "", p.notFound()
	}
	return k.Stored, err
}

// room waits until there is room for a photo in memory, and returns the function that gives it back. If ctx is done
// first it returns without any room: what follows then fails by itself.
func (s *Store) room(ctx context.Context) (leave func()) {
	select {
	case s.busy <- struct{}{}:
		return func() { <-s.busy }
	case <-ctx.Done():
		return func() {}
	}
}

// look describes a photo that was published; errMissing.
func (s *Store) look(ctx context.Context, p place) (Kept, error) {
	o, err := s.s3.head(ctx, p.key())
	if err != nil {
		return Kept{}, err
	}
	return p.kept(o), nil
}

// publish examines a file and puts it where photos are shown from. The first one stays:
// who comes second, or again, gets what is there.
func (s *Store) publish(ctx context.Context, p place, data []byte) (Kept, error) {
	found, err := examine(data)
	if err != nil {
		return Kept{}, err
	}
	err = s.s3.create(ctx, p.key(), found.kind, found.data)
	switch {
	case errors.Is(err, errExists):
		return s.look(ctx, p)
	case err != nil:
		return Kept{}, err
	}
	return p.kept(object{kind: found.kind, size: int64(len(found.data))}), nil
}

// Delete deletes a photo, by its long name.
func (s *Store) Delete(ctx context.Context, stored string) error {
	p, err := placeOfStored(stored)
	if err != nil {
		return err
	}
	return errors.Join(s.s3.remove(ctx, p.key()), s.s3.remove(ctx, p.pendingKey()))
}

// DeleteThread deletes all photos of a thread, also those nobody has used.
func (s *Store) DeleteThread(ctx context.Context, thread string) error {
	p, err := placeIn(thread, "")
	if err != nil {
		return err
	}
	for _, prefix := range []string{p.key(), p.pendingKey()} {
		if err := s.s3.removeAll(ctx, prefix); err != nil {
			return err
		}
	}
	return nil
}

const (
	scheme       = "photo:"
	idDigits     = 20
	threadDigits = 32
)

// Ref returns the short name of the photo at an address; of a name, its short form.
func Ref(addressOrRef string) string {
	if _, id, ok := splitRef(addressOrRef); ok {
		return scheme + id
	}
	return scheme + hash(addressOrRef)[:idDigits]
}

func isRef(s string) bool {
	_, _, ok := splitRef(s)
	return ok
}

// splitRef splits a name; thread is empty in a short one.
func splitRef(ref string) (thread, id string, ok bool) {
	id, ok = strings.CutPrefix(ref, scheme)
	if !ok {
		return "", "", false
	}
	if t, rest, long := strings.Cut(id, "/"); long {
		return t, rest, isHex(t, threadDigits) && isHex(rest, idDigits)
	}
	return "", id, isHex(id, idDigits)
}

func isHex(s string, digits int) bool {
	return len(s) == digits && strings.Trim(s, "0123456789abcdef") == ""
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func randomID() string {
	var b [idDigits / 2]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// place is where a photo is: both parts as in keys.
type place struct{ thread, id string }

func (p place) key() string        { return "media/" + p.thread + "/" + p.id }
func (p place) pendingKey() string { return "pending/" + p.thread + "/" + p.id }

func (p place) kept(o object) Kept {
	return Kept{Ref: scheme + p.id, Stored: scheme + p.thread + "/" + p.id, Type: o.kind, Bytes: o.size}
}

func (p place) notFound() error {
	return fault.New(fault.NotFound, "%s%s is not a photo of this conversation", scheme, p.id)
}

// placeIn is a place of a thread.
func placeIn(thread, id string) (place, error) {
	if thread == "" {
		return place{}, errors.New("media: no thread")
	}
	return place{thread: hash(thread)[:threadDigits], id: id}, nil
}

// placeOf is where a thread has the photo of an address or a name. The long name of a
// photo elsewhere is [fault.NotFound].
func placeOf(thread, addressOrRef string) (place, error) {
	foreign, id, ok := splitRef(addressOrRef)
	if !ok {
		id = hash(addressOrRef)[:idDigits]
	}
	p, err := placeIn(thread, id)
	if err == nil && foreign != "" && foreign != p.thread {
		return place{}, p.notFound()
	}
	return p, err
}

// placeOfStored is the place that a long name stands for.
func placeOfStored(stored string) (place, error) {
	thread, id, ok := splitRef(stored)
	if !ok || thread == "" {
		return place{}, fault.Field("photo", "want the name under which it was stored")
	}
	return place{thread, id}, nil
}
