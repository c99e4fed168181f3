package typesense_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"merve/infra/local/port"
	"merve/internal/base/pause/pausetest"
	"merve/internal/provider/typesense"
)

const realKey = "test-key-not-real"

// real starts a Typesense server, installed by .ci/install-typesense.sh, that ends with the
// test, and returns a client of it; without one the test is skipped.
func real(t *testing.T) *typesense.Client {
	t.Helper()
	const required = "MERVE_TYPESENSE"
	binary, err := filepath.Abs("../../../.cache/venv-typesense/bin/typesense-server")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		if os.Getenv(required) != "" {
			t.Fatalf("%s is set, but: %v; run .ci/install-typesense.sh", required, err)
		}
		t.Skip("LEFT OUT: the Typesense server is not installed; run .ci/install-typesense.sh. The search engine was not checked against the suite.")
	}
	client := &typesense.Client{URL: start(t, binary), Key: key(realKey), Timeout: 10 * time.Second, HTTP: &http.Client{}}
	pausetest.Until(t, "the server answers", func() bool {
		resp, err := http.Get(client.URL + "/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return client
}

func key(k string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return k, nil }
}

func start(t *testing.T, binary string) string {
	t.Helper()
	port, peering := freePort(t), freePort(t)
	var printed bytes.Buffer
	cmd := exec.Command(binary, "--data-dir", t.TempDir(), "--api-key", realKey, "--api-address", "127.0.0.1", "--peering-address", "127.0.0.1",
		"--api-port", fmt.Sprint(port), "--peering-port", fmt.Sprint(peering))
	cmd.Stdout, cmd.Stderr = &printed, &printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it ends by itself after some seconds only
		_ = cmd.Wait()                                      // it was killed
		if t.Failed() {
			all := printed.Bytes()
			t.Logf("the server printed: %s", all[max(0, len(all)-4000):])
		}
	})
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

func freePort(t *testing.T) int {
	t.Helper()
	p, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return p
}
