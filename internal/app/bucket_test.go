package app_test

import (
	"testing"

	"merve/internal/app"
)

// The bucket is where its own endpoint says, else where that of all services does.
func TestBucketIsWhereItsEndpointSays(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"http://127.0.0.1:1": {"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1", "AWS_ENDPOINT_URL": "http://127.0.0.1:2"},
		"http://127.0.0.1:2": {"AWS_ENDPOINT_URL": "http://127.0.0.1:2"},
	} {
		b := app.NewBase(app.Process{Config: app.Config{MediaBucket: "media"}, Getenv: func(name string) string { return env[name] }})
		if got := b.Photos().Origin(); got != want {
			t.Errorf("%v: %s", env, got)
		}
	}
}
