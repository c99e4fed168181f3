package media

import (
	"context"
	"errors"
	"net/http"
	"time"

	"merve/internal/base/fault"
)

// maxFile is the largest file that is read.
const maxFile = 16 << 20

// Files keeps what is no photo in the same bucket, under keys of letters, digits, dashes and slashes that their owner
// chooses below a prefix of its own. What is under a key never changes.
//
//	Keep     PUT
//	Read     GET
//	Address  nothing
//	Forget   LIST for every 1,000 files, and a DELETE each
type Files struct{ s3 *s3 }

// NewFiles returns the files of a bucket.
func NewFiles(b Bucket, now func() time.Time) Files { return Files{newS3(b, now)} }

// Keep writes a file, unless there is one of that key.
func (f Files) Keep(ctx context.Context, key, contentType string, data []byte) error {
	if err := f.s3.create(ctx, key, contentType, data); err != nil && !errors.Is(err, errExists) {
		return err
	}
	return nil
}

// Read returns a file; [fault.NotFound].
func (f Files) Read(ctx context.Context, key string) ([]byte, error) {
	data, _, err := f.s3.get(ctx, key, maxFile)
	if errors.Is(err, errMissing) {
		return nil, fault.New(fault.NotFound, "there is no such file")
	}
	return data, err
}

// Address returns an address under which anybody sees a file for 15 minutes. It does not look whether the file is there.
func (f Files) Address(ctx context.Context, key string) (string, error) {
	return f.s3.presign(ctx, http.MethodGet, key, nil, 0, addressFor)
}

// Forget deletes all files whose keys begin with prefix.
func (f Files) Forget(ctx context.Context, prefix string) error { return f.s3.removeAll(ctx, prefix) }
