package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"merve/internal/base/pause"
)

// The emulator's names for its one account.
const (
	account = "000000000000"
	region  = "us-east-1"
	keyID   = "test"
	key     = "test"
)

// emulator is a running ministack. It and all that it starts are one process group.
type emulator struct {
	url   string
	port  int
	log   string // file
	group *exec.Cmd
	ended chan struct{}
}

func startEmulator(ctx context.Context, root, work string, port int) (*emulator, error) {
	em := &emulator{url: fmt.Sprintf("http://127.0.0.1:%d", port), port: port, log: filepath.Join(work, "emulator.log"), ended: make(chan struct{})}
	out, err := os.Create(em.log)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the process has its own
	em.group = exec.Command(filepath.Join(root, ".cache", "venv-ministack", "bin", "ministack"))
	em.group.Stdout, em.group.Stderr = out, out
	em.group.Dir = work
	em.group.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is ours to pass on
	em.group.Env = append(os.Environ(),
		"AUTH=true", "BIND_HOST=127.0.0.1", fmt.Sprintf("GATEWAY_PORT=%d", port), "STATE_DIR="+filepath.Join(work, "state"), "TMPDIR="+work, "LAMBDA_EXECUTOR=local",
		"AWS_ENDPOINT_URL="+em.url) // where its functions find AWS
	if err := em.group.Start(); err != nil {
		return nil, fmt.Errorf("ministack (.ci/install-ministack.sh installs it): %w", err)
	}
	go func() {
		_ = em.group.Wait() // why is in its log
		close(em.ended)
	}()
	return em, em.ready(ctx)
}

// ready waits until the emulator answers.
func (em *emulator) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, em.url+"/_ministack/health", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-em.ended:
			return errors.New("ministack did not start:\n" + em.tail())
		default:
		}
		if err := pause.For(ctx, 200*time.Millisecond); err != nil {
			em.stop()
			return errors.New("ministack does not answer:\n" + em.tail())
		}
	}
}

// stop ends the emulator and every function that it runs.
func (em *emulator) stop() {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		_ = syscall.Kill(-em.group.Process.Pid, signal) // it may have ended
		select {
		case <-em.ended:
		case <-time.After(5 * time.Second):
		}
	}
	<-em.ended
}

// tail is the end of the emulator's log.
func (em *emulator) tail() string {
	raw, err := os.ReadFile(em.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// environment leads the CDK and the SDK to the emulator.
func (em *emulator) environment() []string {
	return []string{
		"AWS_ENDPOINT_URL=" + em.url, "AWS_ACCESS_KEY_ID=" + keyID, "AWS_SECRET_ACCESS_KEY=" + key, "AWS_SESSION_TOKEN=", "AWS_REGION=" + region, "AWS_DEFAULT_REGION=" + region,
		"AWS_EC2_METADATA_DISABLED=true", "CDK_DISABLE_CLI_TELEMETRY=true", "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=20",
	}
}

// call asks a service that speaks JSON, as the account's owner.
func (em *emulator) call(ctx context.Context, service, target string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, em.url+"/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", target)
	return em.send(ctx, service, req, body, out)
}

// get reads what a service of REST has at a path.
func (em *emulator) get(ctx context.Context, service, path string, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, em.url+path, nil)
	if err != nil {
		return err
	}
	return em.send(ctx, service, req, nil, out)
}

// remove deletes what a service of REST has at a path.
func (em *emulator) remove(ctx context.Context, service, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, em.url+path, nil)
	if err != nil {
		return err
	}
	return em.send(ctx, service, req, nil, nil)
}

func (em *emulator) send(ctx context.Context, service string, req *http.Request, body []byte, out any) error {
	sum := sha256.Sum256(body)
	req.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:])) // S3 wants it
	err := v4.NewSigner().SignHTTP(ctx, aws.Credentials{AccessKeyID: keyID, SecretAccessKey: key}, req, hex.EncodeToString(sum[:]), service, region, time.Now())
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %.500s", service, req.URL.Path, resp.Status, raw)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}

// config is the SDK's, as the account's owner.
func (em *emulator) config() aws.Config {
	return aws.Config{Region: region, BaseEndpoint: &em.url, Credentials: credentials.NewStaticCredentialsProvider(keyID, key, "")}
}
