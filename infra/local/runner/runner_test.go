package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"merve/infra/local/dynamodb"
	"merve/infra/local/runner"
	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/web/webtest"
)

// start runs the whole program on a port of the system's choice.
func start(t *testing.T, env map[string]string) *runner.Runner {
	t.Helper()
	return startLogging(t, env, io.Discard)
}

func startLogging(t *testing.T, env map[string]string, log io.Writer) *runner.Runner {
	t.Helper()
	getenv := func(name string) string {
		if name == "PORT" && env[name] == "" {
			return "0"
		}
		return env[name]
	}
	r, err := runner.Start(context.Background(), runner.Options{Getenv: getenv, Out: io.Discard, Log: log, CacheDir: cache(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	return r
}

func cache(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../.cache")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func post(t *testing.T, url, body string) map[string]any {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, resp)
}

func get(t *testing.T, url string) map[string]any {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, resp)
}

// look reads what the runner tells of itself.
func look(t *testing.T, url string, into any) error {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

func decode(t *testing.T, resp *http.Response) map[string]any {
	t.Helper()
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("x-trace-id") == "" && !bytes.Contains(raw, []byte(`"messages"`)) {
		t.Fatalf("%s: %v: %s", resp.Status, err, raw)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A start that fails says why in one line, and leaves nothing behind.
func TestAFailedStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	tests := []struct {
		name, path string
		env        map[string]string
		want       string
	}{
		{"port taken", path, map[string]string{"HOST": "127.0.0.1", "PORT": port}, "PORT " + port},
		{"no port", path, map[string]string{"PORT": "no-such-port"}, "PORT no-such-port"},
		{"unknown value", path, map[string]string{"LOG_LEVEL": "loud"}, "LOG_LEVEL: want debug, info, warn or error"},
		{"no Java", t.TempDir(), nil, "it needs Java 17"},
	}
	start(t, nil) // has fetched what the start without a path needs
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", tt.path)
			_, err := runner.Start(t.Context(), runner.Options{
				Getenv: func(name string) string { return tt.env[name] }, Out: io.Discard, Log: io.Discard, CacheDir: cache(t),
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got error %q, want one line with %q", err, tt.want)
			}
		})
	}
}

func TestABookingFromTheFirstMessageToTheBusiness(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	say := func(text string) map[string]any {
		return post(t, r.URL+"/chat/message", fmt.Sprintf(`{"sessionId":"session-not-real-0000000001","message":%q}`, text))
	}
	found := say("sushi in Kyrenia")
	if !strings.Contains(fmt.Sprint(found["cards"]), "Harbour Sushi") {
		t.Fatalf("search: %v", found)
	}
	offer := say("book the first one for 2 people tomorrow at 19:00")
	if offer["state"] != "awaiting_confirmation" || offer["pendingAction"] == nil {
		t.Fatalf("offer: %v", offer)
	}
	booked := say("YES")
	if booked["state"] != "idle" || !strings.Contains(fmt.Sprint(booked["reply"]), "confirmed") {
		t.Fatalf("booking: %v", booked)
	}
	pausetest.Until(t, "the business is told", func() bool {
		return strings.Contains(fmt.Sprint(get(t, r.URL+"/dev/outbox")), "New confirmed booking")
	})
}

// By itself the program listens where only this machine reaches it, keeps a token that it was given to itself,
// and cuts off who does not send a whole request.
func TestWhatStrangersReach(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	env := map[string]string{"PORT": "0", "ADMIN_TOKEN": "token-not-real-and-not-printed"}
	r, err := runner.Start(t.Context(), runner.Options{Getenv: func(name string) string { return env[name] }, Out: &out, Log: io.Discard, CacheDir: cache(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Stop)
	if strings.Contains(out.String(), env["ADMIN_TOKEN"]) || !strings.Contains(out.String(), r.URL+"/admin\n") {
		t.Errorf("it prints %s", out.String())
	}
	_, port, err := net.SplitHostPort(strings.TrimPrefix(r.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	others, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range others {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(n.IP.String(), port), time.Second); err == nil {
			conn.Close()
			t.Errorf("it is reached at %s", n.IP)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", r.URL+"/dev/outbox", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example"
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("under another name: %s", resp.Status)
	}
}

func TestAWhatsAppMessageIsAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	form := "MessageSid=SM00000000000000000000000000000001&From=whatsapp%3A%2B15550100&To=whatsapp%3A%2B15550199&Body=sushi+in+Kyrenia&NumMedia=0"
	for range 3 {
		resp, err := http.Post(r.URL+"/webhooks/whatsapp", "application/x-www-form-urlencoded", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	var answers string
	pausetest.Until(t, "the message is answered", func() bool {
		answers = fmt.Sprint(get(t, r.URL+"/dev/outbox"))
		return strings.Contains(answers, "Harbour Sushi")
	})
	var on struct{ Queues []runner.QueueState }
	if err := look(t, r.URL+"/dev/queues", &on); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, q := range on.Queues {
		names = append(names, q.Name)
		if len(q.Dead) > 0 {
			t.Errorf("given up: %+v", q)
		}
	}
	if !slices.Contains(names, "turns") || !slices.Contains(names, "dead-letter-queue") {
		t.Errorf("queues %q", names)
	}
	resp, err := http.Post(r.URL+"/dev/queues/turns-failed/redrive", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if done, err := io.ReadAll(resp.Body); err != nil || string(done) != `{"moved":0,"left":0}`+"\n" {
		t.Errorf("redriven: %s, %v", done, err)
	}
	var kept runner.Memory
	if err := look(t, r.URL+"/dev/memory", &kept); err != nil || kept.Heap < 1<<20 || kept.Goroutines < 10 {
		t.Errorf("%v: in memory %+v", err, kept)
	}
	if n := strings.Count(answers, "to:+15550100"); n != 1 {
		t.Errorf("%d answers to a message that came three times", n)
	}
}

// A store that somebody else has started outlives the program, which ends without it.
func TestAnotherStore(t *testing.T) {
	t.Parallel()
	server, err := dynamodb.Start(context.Background(), dynamodb.Options{CacheDir: cache(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	r := start(t, map[string]string{"AWS_ENDPOINT_URL_DYNAMODB": server.URL})
	if found := post(t, r.URL+"/chat/message", `{"sessionId":"session-not-real-0000000001","message":"sushi"}`); found["reply"] == "" {
		t.Errorf("answer: %v", found)
	}
	stopped := make(chan struct{})
	go func() { r.Stop(); close(stopped) }()
	select {
	case <-stopped:
	case <-time.After(pausetest.Patience):
		t.Fatal("it does not stop")
	}
}

// browse opens a browser, which the test's steps are for.
func browse(t *testing.T) func(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	path := webtest.Chromium()
	if path == "" {
		t.Skip("NO CHROMIUM IN PATH: " + t.Name() + " WAS LEFT OUT (apt-get install chromium-headless-shell)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en-GB"))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, pausetest.Patience)
	t.Cleanup(cancel)
	return func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABookingThroughThePage(t *testing.T) {
	t.Parallel()
	page, log := browse(t), &lines{}
	r := startLogging(t, nil, log)
	holds := func(text string) {
		t.Helper()
		page(chromedp.Poll[chromedp.Void](fmt.Sprintf("document.querySelector('#log').innerText.includes(%q)", text)))
	}
	say := func(text string) {
		t.Helper()
		page(chromedp.SendKeys("#text", text))
		page(chromedp.Click("#send"))
	}
	page(chromedp.Navigate(r.URL + "/"))
	page(chromedp.WaitVisible("#text"))
	say("sushi in Kyrenia")
	holds("Harbour Sushi")
	say("book the first one for 2 people tomorrow at 19:00")
	page(chromedp.WaitVisible("#yes"))
	page(chromedp.Click("#yes"))
	holds("Your booking is confirmed")
	wantNothingGivenUp(t, r, log)
}
