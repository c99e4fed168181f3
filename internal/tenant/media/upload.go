package media

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
)

const uploadFor = 5 * time.Minute

// Upload is leave to put one file into the bucket, of the type and length that were asked
// for: S3 refuses any other.
type Upload struct {
	URL       string            `json:"url"`
	Method    string            `json:"method"`
	Headers   map[string]string `json:"headers"` // to be sent as they are
	Ref       string            `json:"ref"`     // the photo's name when the file is there
	ExpiresAt time.Time         `json:"expiresAt"`
}

// Upload lets a browser put a photo into a thread. What it puts there is examined when the
// name is first used, by [Store.Keep] or [Store.Kept], and shown to nobody before.
func (s *Store) Upload(ctx context.Context, thread, contentType string, size int64) (Upload, error) {
	switch {
	case !slices.Contains(types, contentType):
		return Upload{}, fault.Field("contentType", "want one of %s", strings.Join(types, ", "))
	case size < 1:
		return Upload{}, fault.Field("size", "want the length in bytes")
	case size > MaxBytes:
		return Upload{}, tooLarge(MaxBytes)
	}
	p, err := placeIn(thread, s.newID())
	if err != nil {
		return Upload{}, err
	}
	expires := s.now().Add(uploadFor)
	address, err := s.s3.presign(ctx, http.MethodPut, p.pendingKey(), http.Header{"Content-Type": {contentType}}, size, uploadFor)
	if err != nil {
		return Upload{}, err
	}
	return Upload{
		URL: address, Method: http.MethodPut, Headers: map[string]string{"Content-Type": contentType},
		Ref: scheme + p.id, ExpiresAt: expires,
	}, nil
}

// admit examines an upload and publishes it; [fault.NotFound] if there is no upload. An upload that is not a photo
// stays pending, so that asking again gets the same answer.
func (s *Store) admit(ctx context.Context, p place) (Kept, error) {
	defer s.room(ctx)()
	data, _, err := s.s3.get(ctx, p.pendingKey(), MaxBytes)
	switch {
	case errors.Is(err, errMissing):
		k, err := s.look(ctx, p) // somebody else has admitted it meanwhile
		if errors.Is(err, errMissing) {
			return Kept{}, p.notFound()
		}
		return k, err
	case err != nil:
		return Kept{}, err
	}
	k, err := s.publish(ctx, p, data)
	if err != nil {
		return Kept{}, err
	}
	// The original tells more than the photo does. If it cannot be deleted now, the next caller still gets the photo,
	// and the lifecycle deletes what is pending.
	return k, s.s3.remove(ctx, p.pendingKey())
}
