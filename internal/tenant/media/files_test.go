package media_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/internal/base/fault"
	"merve/internal/tenant/media"
	"merve/internal/tenant/media/mediatest"
)

// A file is there as it was first written, until everything below its prefix is deleted.
func TestFiles(t *testing.T) {
	t.Parallel()
	f := media.NewFiles(media.Bucket{
		Name: mediatest.Bucket, Region: "us-east-1", Endpoint: mediatest.Endpoint(t), Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
	}, time.Now)
	ctx := t.Context()
	for _, data := range []string{"first", "second"} {
		if err := f.Keep(ctx, "results/a/1-x", "application/json", []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Keep(ctx, "results/b/1-x", "application/json", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Read(ctx, "results/a/1-x"); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 {
		if err := f.Forget(ctx, "results/a/"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Read(ctx, "results/a/1-x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("after it was deleted: %v", err)
	}
	if got, err := f.Read(ctx, "results/b/1-x"); err != nil || string(got) != "other" {
		t.Errorf("beside what was deleted: %q, %v", got, err)
	}
}
