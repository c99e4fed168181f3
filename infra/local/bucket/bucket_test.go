package bucket_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"merve/infra/local/bucket"
	"merve/internal/base/fault"
	"merve/internal/tenant/media"
	"merve/internal/tenant/media/mediatest"
)

func start(t *testing.T, o bucket.Options) *bucket.Server {
	t.Helper()
	s, err := bucket.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func store(s *bucket.Server) *media.Store {
	return media.New(media.Options{Bucket: media.Bucket{
		Name: "photos", Region: "us-east-1", Endpoint: s.URL,
		Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
	}})
}

// send makes a request as the page at origin would, and returns the answer and its body.
func send(t *testing.T, method, address, origin string, header map[string]string, body []byte) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

// A photo takes the way that it takes in the cloud: leave, upload from a page, look,
// delete. In a folder it is still there after a restart.
func TestPhotos(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"memory": "", "folder": filepath.Join(t.TempDir(), "bucket")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, file := t.Context(), mediatest.JPEG(t, 40, 30)
			options := bucket.Options{Dir: dir, Buckets: []string{"photos"}}
			server := start(t, options)
			photos := store(server)
			u, err := photos.Upload(ctx, "thread-1", "image/jpeg", int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			if resp, body := send(t, u.Method, u.URL, "http://localhost:8080", u.Headers, file); resp.StatusCode != http.StatusOK {
				t.Fatalf("upload: status %d %s", resp.StatusCode, body)
			}
			if dir != "" {
				if err := server.Stop(); err != nil {
					t.Fatal(err)
				}
				server = start(t, options)
				photos = store(server)
			}
			stored, err := photos.Kept(ctx, "thread-1", u.Ref)
			if err != nil {
				t.Fatal(err)
			}
			if dir != "" {
				if err := server.Stop(); err != nil {
					t.Fatal(err)
				}
				photos = store(start(t, options))
			}
			if again, err := photos.Kept(ctx, "thread-1", u.Ref); again != stored || err != nil {
				t.Errorf("again: %s, %v", again, err)
			}
			address, err := photos.Address(ctx, stored)
			if err != nil {
				t.Fatal(err)
			}
			resp, body := send(t, http.MethodGet, address, "http://localhost:8080", nil, nil)
			got := []string{resp.Status, resp.Header.Get("Content-Type"), resp.Header.Get("Content-Disposition"), resp.Header.Get("Access-Control-Allow-Origin")}
			if diff := cmp.Diff([]string{"200 OK", "image/jpeg", "inline", "*"}, got); diff != "" || body != string(file) {
				t.Errorf("%s, %d bytes", diff, len(body))
			}
			if err := photos.DeleteThread(ctx, "thread-1"); err != nil {
				t.Fatal(err)
			}
			if _, err := photos.Kept(ctx, "thread-1", stored); !fault.Is(err, fault.NotFound) {
				t.Errorf("after deletion: %v", err)
			}
		})
	}
}

// A browser asks first whether a page of another origin may upload.
func TestPreflight(t *testing.T) {
	t.Parallel()
	s := start(t, bucket.Options{Buckets: []string{"photos"}})
	resp, _ := send(t, http.MethodOptions, s.URL+"/photos/pending/a/1", "http://127.0.0.1:9999", map[string]string{
		"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "content-type",
	}, nil)
	allowed := strings.ToLower(resp.Header.Get("Access-Control-Allow-Headers"))
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Access-Control-Allow-Origin") != "*" ||
		!strings.Contains(resp.Header.Get("Access-Control-Allow-Methods"), "PUT") || !strings.Contains(allowed, "content-type") {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	s := start(t, bucket.Options{})
	taken := strings.TrimPrefix(s.URL, "http://")
	for name, o := range map[string]bucket.Options{
		"an address in use": {Addr: taken}, "a folder that cannot be": {Dir: "/proc/none/here"}, "no name for a bucket": {Buckets: []string{"A"}, Dir: t.TempDir()},
	} {
		if _, err := bucket.Start(t.Context(), o); err == nil {
			t.Errorf("%s: started", name)
		}
	}
}
