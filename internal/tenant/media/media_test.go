package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media/mediatest"
)

func TestRef(t *testing.T) {
	t.Parallel()
	id, thread := strings.Repeat("ab", 10), strings.Repeat("cd", 16)
	tests := map[string]string{
		"https://example.com/a.jpg":        "photo:276a1ac00ba4f0ea47ee",
		"photo:" + id:                      "photo:" + id,
		"photo:" + thread + "/" + id:       "photo:" + id,
		"photo:" + strings.ToUpper(id):     "",
		"photo:" + id + "0":                "",
		"photo:../" + id:                   "",
		"photo:" + thread + "/" + id[1:]:   "",
		"photo:" + thread + "/../../" + id: "",
		"photo:":                           "",
		id:                                 "", // an address that looks like a name
		"":                                 "",
	}
	for in, want := range tests {
		got := Ref(in)
		if want == "" { // the name of an address, whatever it is
			want = scheme + hash(in)[:idDigits]
		}
		if got != want || Ref(got) != got {
			t.Errorf("Ref(%q) = %q, want %q", in, got, want)
		}
	}
}

// photoHost gives out a photo over HTTP and counts how often.
func photoHost(t *testing.T, file []byte) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(file) // a client that went away is the client's affair
	}))
	t.Cleanup(server.Close)
	return server.URL + "/photo.jpg", asked
}

func TestKeep(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	address, asked := photoHost(t, mediatest.Located(mediatest.JPEG(t, 40, 30), 6))
	attached := channel.Media{URL: address, Type: "image/png"} // nobody is believed
	first, err := w.Keep(ctx, "thread-1", attached)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"HEAD media", "PUT media"}, w.gate.took()); diff != "" {
		t.Error(diff)
	}
	if first.Ref != Ref(address) || !strings.HasSuffix(first.Stored, strings.TrimPrefix(first.Ref, "photo:")) || first.Type != jpegType {
		t.Errorf("%+v", first)
	}
	again, err := w.Keep(ctx, "thread-1", attached)
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("again: %s, %v", diff, err)
	}
	if diff := cmp.Diff([]string{"HEAD media"}, w.gate.took()); diff != "" || asked.Load() != 1 {
		t.Errorf("again: %s, fetched %d times", diff, asked.Load())
	}
	shown, err := w.Address(ctx, first.Stored)
	if err != nil || len(w.gate.took()) != 0 {
		t.Fatalf("%v, or it made requests", err)
	}
	resp := w.send(t, http.MethodGet, shown, "", nil)
	body, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(body, []byte(mediatest.Secret)) || int64(len(body)) != first.Bytes || orientationOf(body) != 6 {
		t.Errorf("%d bytes, want %d, without the secret: %v", len(body), first.Bytes, err)
	}
	if got := resp.Header.Get("Content-Type") + " " + resp.Header.Get("Content-Disposition"); got != "image/jpeg inline" {
		t.Errorf("served as %q", got)
	}
	w.at.Add(int64((15*time.Minute + time.Second).Seconds()))
	if got := w.send(t, http.MethodGet, shown, "", nil).StatusCode; got != http.StatusForbidden {
		t.Errorf("after 15 minutes: status %d", got)
	}
}

// Meta says "image" of a photo, and so does the web chat of an address.
func TestKeepWithoutContentType(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{AllowPrivate: true})
	for _, typ := range []string{"image", ""} {
		address, _ := photoHost(t, mediatest.JPEG(t, 40, 30))
		k, err := w.Keep(t.Context(), "thread-1", channel.Media{URL: address, Type: typ})
		if err != nil || k.Type != jpegType {
			t.Errorf("type %q: %+v, %v", typ, k, err)
		}
	}
}

// A name means a photo of the thread in which it is said.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	address, _ := photoHost(t, []byte(onePixel))
	k, err := w.Keep(ctx, "thread-1", channel.Media{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{address, k.Ref, k.Stored} {
		w.gate.took()
		if got, err := w.Kept(ctx, "thread-1", name); got != k.Stored || err != nil {
			t.Errorf("own %s: %s, %v", name, got, err)
		}
		if diff := cmp.Diff([]string{"HEAD media"}, w.gate.took()); diff != "" {
			t.Error(diff)
		}
		got, err := w.Kept(ctx, "thread-2", name)
		if message, _ := fault.Public(err); got != "" || !fault.Is(err, fault.NotFound) || !strings.Contains(message, k.Ref) {
			t.Errorf("foreign %s: %s, %v", name, got, err)
		}
		if isRef(name) {
			if _, err := w.Keep(ctx, "thread-2", channel.Media{URL: name}); !fault.Is(err, fault.NotFound) {
				t.Errorf("foreign %s kept: %v", name, err)
			}
		}
	}
	for _, name := range []string{k.Ref, address, "", "photo:" + k.Stored} {
		_, addressed := w.Address(ctx, name)
		_, imaged := w.Image(ctx, name)
		for _, err := range []error{addressed, imaged, w.Delete(ctx, name)} {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q without a thread: %v", name, err)
			}
		}
	}
	if _, err := w.Keep(ctx, "", channel.Media{URL: address}); err == nil {
		t.Error("kept in no thread")
	}
	if diff := cmp.Diff([]string{"media/" + hash("thread-1")[:32] + "/" + k.Ref[6:]}, w.objects(t)); diff != "" {
		t.Error(diff)
	}
}

// The long name of another thread's photo leads nowhere, even where the same photo is kept.
func TestTheSamePhotoInTwoThreads(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	address, _ := photoHost(t, []byte(onePixel))
	var kept [2]Kept
	for i, thread := range []string{"thread-1", "thread-2"} {
		var err error
		if kept[i], err = w.Keep(ctx, thread, channel.Media{URL: address}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := w.Kept(ctx, "thread-2", kept[0].Stored); got != "" || !fault.Is(err, fault.NotFound) {
		t.Errorf("%s, %v", got, err)
	}
}

// Addresses that differ in the query only are those of two photos: each is fetched and kept.
func TestPhotosThatDifferInTheQuery(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	address, asked := photoHost(t, []byte(onePixel))
	for _, query := range []string{"?asset_id=1", "?asset_id=2"} {
		if _, err := w.Keep(ctx, "thread-1", channel.Media{URL: address + query}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.objects(t); len(got) != 2 || asked.Load() != 2 {
		t.Errorf("kept %v, fetched %d times", got, asked.Load())
	}
}

func TestKeepRefuses(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	page, _ := photoHost(t, []byte("<html><script>alert(1)</script>"))
	voice, heard := photoHost(t, []byte(onePixel))
	tests := []struct {
		name string
		m    channel.Media
		want fault.Kind
	}{
		{"a page", channel.Media{URL: page, Type: jpegType}, fault.Invalid},
		{"a voice note", channel.Media{URL: voice, Type: "audio/ogg"}, fault.Invalid},
		{"no address", channel.Media{}, fault.Invalid},
		{"an unknown name", channel.Media{URL: "photo:" + strings.Repeat("0", 20)}, fault.NotFound},
	}
	for _, tt := range tests {
		if _, err := w.Keep(ctx, "thread-1", tt.m); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	if heard.Load() != 0 {
		t.Error("the voice note was fetched")
	}
	strict := newWorld(t, Options{})
	for _, address := range []string{page, strings.Replace(page, "http:", "https:", 1)} {
		if _, err := strict.Keep(ctx, "thread-1", channel.Media{URL: address}); !fault.Is(err, fault.Invalid) {
			t.Errorf("a private address: %v", err)
		}
	}
	if got := append(w.objects(t), strict.objects(t)...); len(got) > 0 {
		t.Errorf("kept %v", got)
	}
}

// upload puts a file where u says.
func (w *world) upload(t *testing.T, u Upload, file []byte) {
	t.Helper()
	if got := w.send(t, u.Method, u.URL, u.Headers["Content-Type"], file).StatusCode; got != http.StatusOK {
		t.Fatalf("upload: status %d", got)
	}
}

func TestUpload(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{})
	file := mediatest.Located(mediatest.JPEG(t, 40, 30), 1)
	u, err := w.Upload(ctx, "thread-1", jpegType, int64(len(file)))
	if err != nil || len(w.gate.took()) != 0 {
		t.Fatalf("%v, or it made requests", err)
	}
	if want := w.time().Add(5 * time.Minute); !u.ExpiresAt.Equal(want) || !isRef(u.Ref) {
		t.Errorf("%+v", u)
	}
	if _, err := w.Kept(ctx, "thread-1", u.Ref); !fault.Is(err, fault.NotFound) {
		t.Errorf("before the upload: %v", err)
	}
	if diff := cmp.Diff([]string{"HEAD media", "GET pending", "HEAD media"}, w.gate.took()); diff != "" {
		t.Error(diff)
	}
	w.upload(t, u, file)
	if _, err := w.Kept(ctx, "thread-2", u.Ref); !fault.Is(err, fault.NotFound) {
		t.Errorf("in another thread: %v", err)
	}
	unseen, err := w.Address(ctx, "photo:"+hash("thread-1")[:32]+"/"+u.Ref[6:])
	if err != nil || w.send(t, http.MethodGet, unseen, "", nil).StatusCode != http.StatusNotFound {
		t.Errorf("it is shown before it was examined: %v", err)
	}
	w.gate.took()
	k, err := w.Keep(ctx, "thread-1", channel.Media{URL: u.Ref})
	if err != nil || k.Ref != u.Ref || k.Type != jpegType || k.Bytes >= int64(len(file)) {
		t.Errorf("%+v, %v", k, err)
	}
	if diff := cmp.Diff([]string{"HEAD media", "GET pending", "PUT media", "DELETE pending"}, w.gate.took()); diff != "" {
		t.Error(diff)
	}
	w.upload(t, u, bytes.Repeat([]byte("x"), len(file))) // leave is still there, and of no use
	stored, err := w.Kept(ctx, "thread-1", u.Ref)
	if err != nil || stored != k.Stored {
		t.Errorf("%s, %v", stored, err)
	}
	shown, err := w.Image(ctx, stored)
	if err != nil || !strings.HasPrefix(shown, "data:image/jpeg;base64,") {
		t.Errorf("%.40s, %v", shown, err)
	}
}

// What a browser gets as an answer is what the page expects.
func TestUploadAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{NewID: func() string { return strings.Repeat("e", 20) }})
	u, err := w.Upload(t.Context(), "thread-1", pngType, 7)
	if err != nil {
		t.Fatal(err)
	}
	u.URL = "…"
	got, err := json.Marshal(u)
	want := `{"url":"…","method":"PUT","headers":{"Content-Type":"image/png"},"ref":"photo:eeeeeeeeeeeeeeeeeeee","expiresAt":"2026-03-01T12:05:00Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestUploadRefuses(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{})
	for _, tt := range []struct {
		kind string
		size int64
		want fault.Kind
	}{
		{"text/html", 10, fault.Invalid}, {"image/svg+xml", 10, fault.Invalid}, {"", 10, fault.Invalid}, {"image/jpeg; x=y", 10, fault.Invalid},
		{jpegType, 0, fault.Invalid}, {jpegType, -1, fault.Invalid}, {jpegType, MaxBytes + 1, fault.TooLarge},
	} {
		if _, err := w.Upload(ctx, "thread-1", tt.kind, tt.size); !fault.Is(err, tt.want) {
			t.Errorf("%q of %d bytes: %v, want %s", tt.kind, tt.size, err, tt.want)
		}
	}
	if _, err := w.Upload(ctx, "", jpegType, 1); err == nil {
		t.Error("an upload to no thread")
	}
	page := []byte("<html><script>alert(1)</script>")
	u, err := w.Upload(ctx, "thread-1", jpegType, int64(len(page)))
	if err != nil {
		t.Fatal(err)
	}
	w.upload(t, u, page)
	for range 2 {
		if _, err := w.Kept(ctx, "thread-1", u.Ref); !fault.Is(err, fault.Invalid) {
			t.Errorf("a page as a photo: %v", err)
		}
	}
	if keys := w.objects(t); len(keys) != 1 || !strings.HasPrefix(keys[0], "pending/") {
		t.Errorf("kept %v", keys)
	}
}

// Of two who keep the same photo at once, both get the one that was first.
func TestKeepAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{AllowPrivate: true})
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = rw.Write(mediatest.JPEG(t, 8+int(n.Add(1)), 8)) // a host that gives everyone another photo
	}))
	t.Cleanup(server.Close)
	got := make([]Kept, 6)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			var err error
			if got[i], err = w.Keep(t.Context(), "thread-1", channel.Media{URL: server.URL}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, k := range got[1:] {
		if k != got[0] {
			t.Errorf("%+v and %+v", got[0], k)
		}
	}
}

// An upload that is admitted by two at once is there for both.
func TestAdmitAtOnce(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{})
	file := mediatest.JPEG(t, 40, 30)
	u, err := w.Upload(ctx, "thread-1", jpegType, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	w.upload(t, u, file)
	var faster string
	w.gate.once = map[string]func(){"GET pending": func() {
		if faster, err = w.Kept(ctx, "thread-1", u.Ref); err != nil {
			t.Error(err)
		}
	}}
	if k, err := w.Keep(ctx, "thread-1", channel.Media{URL: u.Ref}); err != nil || k.Stored != faster {
		t.Errorf("%+v, %v, want %s", k, err, faster)
	}
}

// Many photos at once are not all in memory at once.
func TestPhotosInMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{AllowPrivate: true})
	var now, most atomic.Int32
	full, release, once := make(chan struct{}), make(chan struct{}), sync.Once{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == maxInMemory {
			once.Do(func() { close(full) })
		}
		<-release
		_, _ = io.WriteString(rw, onePixel) // a client that went away is the client's affair
	}))
	t.Cleanup(server.Close)
	var all sync.WaitGroup
	for i := range 3 * maxInMemory {
		all.Go(func() {
			if _, err := w.Keep(t.Context(), "thread-1", channel.Media{URL: fmt.Sprint(server.URL, "/", i)}); err != nil {
				t.Error(err)
			}
		})
	}
	<-full
	hurried, cancel := context.WithCancel(t.Context())
	cancel()
	w.room(hurried)() // does not wait, and gives back nothing
	if len(w.busy) != maxInMemory {
		t.Errorf("room for %d, want none", maxInMemory-len(w.busy))
	}
	close(release)
	all.Wait()
	if got := most.Load(); got != maxInMemory {
		t.Errorf("%d photos at once, want %d", got, maxInMemory)
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	big := mediatest.JPEG(t, 3000, 2000)
	tests := []struct {
		name            string
		file            []byte
		inline, address []string // the requests without and with a public bucket
		kind            string   // of the data: URL
		public          string   // what the address begins with
	}{
		{"JPEG", big, []string{"GET media"}, []string{"HEAD media"}, jpegType, "http://"},
		{"PNG", pngFile(t), []string{"GET media"}, []string{"HEAD media"}, jpegType, "http://"},
		{"WebP", webpFile(), []string{"GET media"}, []string{"HEAD media"}, webpType, "http://"},
		{"GIF", gifFile(t), []string{"GET media"}, []string{"HEAD media", "GET media"}, jpegType, "data:image/jpeg;"},
		{"HEIC", mediatest.HEIC(), []string{"GET media"}, []string{"HEAD media", "GET media"}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
			address, _ := photoHost(t, tt.file)
			k, err := w.Keep(ctx, "thread-1", channel.Media{URL: address})
			if err != nil {
				t.Fatal(err)
			}
			w.gate.took()
			inline, err := w.Image(ctx, k.Stored)
			if diff := cmp.Diff(tt.inline, w.gate.took()); diff != "" {
				t.Error(diff)
			}
			w.public = true
			public, publicErr := w.Image(ctx, k.Stored)
			if diff := cmp.Diff(tt.address, w.gate.took()); diff != "" {
				t.Error(diff)
			}
			if tt.kind == "" {
				for _, err := range []error{err, publicErr} {
					if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.name) {
						t.Errorf("%v, want it to say that it is %s", err, tt.name)
					}
				}
				return
			}
			if err != nil || publicErr != nil || !strings.HasPrefix(public, tt.public) {
				t.Fatalf("%.40s, %v, %v", public, err, publicErr)
			}
			data, ok := strings.CutPrefix(inline, "data:"+tt.kind+";base64,")
			if !ok || len(inline) > 2<<20 {
				t.Fatalf("%.40s of %d bytes", inline, len(inline))
			}
			file, err := base64.StdEncoding.DecodeString(data)
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "JPEG" && decode(t, file).Bounds().Size() != image.Pt(1000, 666) {
				t.Errorf("size %v", decode(t, file).Bounds())
			}
		})
	}
}

func TestImageOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	stored := "photo:" + strings.Repeat("0", 32) + "/" + strings.Repeat("0", 20)
	for _, public := range []bool{false, true} {
		w.public = public
		if _, err := w.Image(t.Context(), stored); !fault.Is(err, fault.NotFound) {
			t.Errorf("public %v: %v", public, err)
		}
	}
	large := []byte(strings.Replace(string(webpFile()), "pixel", strings.Repeat("pixel", 1<<18), 1))
	if err := w.s3.create(t.Context(), "media/"+stored[6:], webpType, large); err != nil {
		t.Fatal(err)
	}
	w.public = false
	if _, err := w.Image(t.Context(), stored); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a large photo that cannot be made smaller: %v", err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{AllowPrivate: true})
	var stored []string
	for i := range 2 {
		address, _ := photoHost(t, []byte(onePixel))
		for _, thread := range []string{"thread-1", "thread-2"} {
			k, err := w.Keep(ctx, thread, channel.Media{URL: fmt.Sprintf("%s?%d", address, i)})
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, k.Stored)
		}
	}
	u, err := w.Upload(ctx, "thread-1", jpegType, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.upload(t, u, []byte("x"))
	w.gate.took()
	for range 2 { // it may be repeated
		if err := w.Delete(ctx, stored[0]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"DELETE media", "DELETE pending"}, w.gate.took()); diff != "" {
			t.Error(diff)
		}
	}
	if got := len(w.objects(t)); got != 4 {
		t.Errorf("%d objects, want 4", got)
	}
	w.gate.took()
	if err := w.DeleteThread(ctx, "thread-1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET list", "DELETE media", "GET list", "DELETE pending"}, w.gate.took()); diff != "" {
		t.Error(diff)
	}
	keys := w.objects(t)
	if len(keys) != 2 || slices.ContainsFunc(keys, func(k string) bool { return !strings.Contains(k, hash("thread-2")[:32]) }) {
		t.Errorf("left: %v", keys)
	}
	if err := w.DeleteThread(ctx, ""); err == nil || len(w.objects(t)) != 2 {
		t.Errorf("no thread: %v", err)
	}
}

// More photos than one answer lists.
func TestDeleteManyPages(t *testing.T) {
	t.Parallel()
	listed, deleted := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			deleted++
			w.WriteHeader(http.StatusNoContent)
			return
		}
		listed++
		key := r.URL.Query().Get("prefix") + fmt.Sprint(listed)
		fmt.Fprintf(w, `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>%v</IsTruncated><Contents><Key>%s</Key></Contents></ListBucketResult>`, listed%3 != 0, key)
	}))
	t.Cleanup(server.Close)
	s := &Store{s3: bucketAt(server.URL, nil)}
	if err := s.DeleteThread(t.Context(), "thread-1"); err != nil || listed != 6 || deleted != 6 {
		t.Errorf("listed %d times, deleted %d, %v", listed, deleted, err)
	}
}

// Wherever the process dies or S3 fails, doing it again leaves what doing it once does. An
// upload that was admitted may stay pending then, for the lifecycle to delete.
func TestFaults(t *testing.T) {
	t.Parallel()
	file := mediatest.JPEG(t, 8, 8)
	address, _ := photoHost(t, file)
	type state struct {
		Kept  Kept
		Shown []string
	}
	keep := func(w *world, name string, k *Kept) func() error {
		return func() (err error) {
			*k, err = w.Keep(t.Context(), "thread-1", channel.Media{URL: name})
			return err
		}
	}
	scenario := func(prepare func(*testing.T, *world, *Kept) (step func() error), left string) func(*testing.T, *faulttest.Calls) state {
		return func(t *testing.T, calls *faulttest.Calls) state {
			w := newWorld(t, Options{AllowPrivate: true, NewID: func() string { return strings.Repeat("e", 20) }})
			var k Kept
			step := prepare(t, w, &k)
			through := w.s3.HTTP
			w.s3.HTTP = &http.Client{Transport: calls}
			calls.Deliver(t, nil, step)
			w.s3.HTTP = through
			there := slices.DeleteFunc(w.objects(t), func(key string) bool { return !strings.HasPrefix(key, left) })
			return state{k, there}
		}
	}
	uploaded := func(t *testing.T, w *world) Upload {
		t.Helper()
		u, err := w.Upload(t.Context(), "thread-1", jpegType, int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		w.upload(t, u, file)
		return u
	}
	t.Run("keep", func(t *testing.T) {
		faulttest.Everywhere(t, faulttest.Faults, scenario(func(t *testing.T, w *world, k *Kept) func() error {
			return keep(w, address, k)
		}, ""))
	})
	t.Run("upload", func(t *testing.T) {
		faulttest.Everywhere(t, faulttest.Faults, scenario(func(t *testing.T, w *world, k *Kept) func() error {
			return keep(w, uploaded(t, w).Ref, k)
		}, "media/"))
	})
	t.Run("delete", func(t *testing.T) {
		faulttest.Everywhere(t, faulttest.Faults, scenario(func(t *testing.T, w *world, k *Kept) func() error {
			if err := keep(w, address, new(Kept))(); err != nil {
				t.Fatal(err)
			}
			uploaded(t, w)
			return func() error { return w.DeleteThread(t.Context(), "thread-1") }
		}, ""))
	})
}

// Credentials of a role come with a session, which S3 wants to see in an address.
func TestAddressCarriesTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	address, err := w.Address(t.Context(), "photo:"+strings.Repeat("0", 32)+"/"+strings.Repeat("0", 20))
	if err != nil || !strings.Contains(address, "X-Amz-Security-Token="+testToken) {
		t.Errorf("%s, %v", address, err)
	}
	w.s3.Credentials = credentials.NewStaticCredentialsProvider(testKey, testSecret, "")
	address, err = w.Address(t.Context(), "photo:"+strings.Repeat("0", 32)+"/"+strings.Repeat("0", 20))
	if err != nil || strings.Contains(address, "Security-Token") {
		t.Errorf("%s, %v", address, err)
	}
}
