package stripe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/infra/local/port"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause/pausetest"
	"merve/internal/provider/stripe"
)

// stripe-mock checks requests against Stripe's own description of its API, and answers with
// its examples, whatever was asked.
func TestRequestsAreStripes(t *testing.T) {
	t.Parallel()
	program, err := filepath.Abs("../../../.cache/stripe-mock/stripe-mock-v0.203.0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		t.Skip("NO STRIPE-MOCK IN .cache: STRIPE'S OWN CHECK OF OUR REQUESTS WAS LEFT OUT (.ci/install-stripe-mock.sh)")
	}
	plain, secure := freeAddr(t), freeAddr(t)
	mock := exec.CommandContext(t.Context(), program, "-http-addr", plain, "-https-addr", secure)
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = mock.Process.Kill()
		_ = mock.Wait() // it was killed
	})
	pausetest.Until(t, "the server listens", func() bool {
		conn, err := net.Dial("tcp", plain)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	seen := &statuses{}
	c, ctx := &stripe.Client{BaseURL: "http://" + plain, Key: key("sk_test_notreal"), HTTP: &http.Client{Transport: seen}, Timeout: 20 * time.Second}, t.Context()
	if i, err := c.Get(ctx, "pi_1"); err != nil || i.ClientSecret == "" {
		t.Errorf("get: %+v, %v", i, err)
	}
	if r, err := c.Refund(ctx, stripe.Back{Intent: "pi_1", Key: "r1"}); err != nil || r.ID == "" {
		t.Errorf("refund: %+v, %v", r, err)
	}
	if _, err := c.Refund(ctx, stripe.Back{Intent: "pi_1", AmountMinor: 1, Currency: "EUR", Key: "r2"}); err != nil {
		t.Errorf("refund of a part: %v", err)
	}
	// The example stays as open as it was.
	if _, err := c.Close(ctx, "pi_1", "c1"); err != nil && !fault.Is(err, fault.Unavailable) {
		t.Errorf("close: %v", err)
	}
	// The example's amount is another than was asked for, which is no answer to us; what counts
	// is that the request is allowed.
	if _, err := c.Create(ctx, wanted("k1")); err != nil && !fault.Is(err, fault.Unavailable) {
		t.Errorf("create: %v", err)
	}
	if diff := cmp.Diff([]int{200, 200, 200, 200, 200, 200, 200}, seen.all); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// statuses are those of the answers that came.
type statuses struct{ all []int }

func (s *statuses) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := faulttest.Transport.RoundTrip(r)
	if err == nil {
		s.all = append(s.all, resp.StatusCode)
	}
	return resp, err
}

func freeAddr(t *testing.T) string {
	t.Helper()
	p, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", p)
}
