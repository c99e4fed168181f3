// Command cloud deploys the stack to an emulator of AWS on this machine: CloudFormation out of infra/cdk, every function as a
// process of its own under its own role, with IAM enforced. It seeds the demo market, prints the addresses and stays in the
// foreground; Ctrl-C leaves nothing behind.
//
// The emulator is ministack. `make cloud` (.ci/cloud.sh) installs it and builds the functions for this machine's processor.
// Twilio and the model are stand-ins in this process. There is nobody to sign in with, so the admin page has no users.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"merve/infra/local/port"
	"merve/infra/rulemodel"
	"merve/internal/provider/twilio/twiliotest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	test := flag.Bool("test", false, "drive what was deployed, and end")
	flag.Parse()
	if err := run(ctx, *test); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "cloud:", err)
		os.Exit(1)
	}
}

// stage is the deployed stage.
const stage = "local"

// secretName is that of the stage's secret, as infra/cdk expects it.
const secretName = "merve/" + stage

func run(ctx context.Context, test bool) (err error) {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "merve-cloud-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	free, err := port.Free()
	if err != nil {
		return err
	}
	em, err := startEmulator(ctx, root, work, free)
	if err != nil {
		return err
	}
	defer em.stop()
	twilio := twiliotest.Start(twiliotest.Config{})
	defer twilio.Close()
	thinker := newModel()
	stopModel, settings, err := startStandIns(twilio, thinker)
	if err != nil {
		return err
	}
	defer stopModel()
	id, err := deploy(ctx, em, root, work, settings)
	if err != nil {
		return fmt.Errorf("%w\nThe emulator's log ends with:\n%s", err, em.tail())
	}
	env, err := em.functionsEnvironment(ctx)
	if err != nil {
		return err
	}
	if err := seed(ctx, em, env); err != nil {
		return err
	}
	if err := em.writeForSAM(ctx, filepath.Join(root, ".cache", "cloud"), filepath.Join(work, "cdk.out", "merve-"+stage+".template.json")); err != nil {
		return err
	}
	if test {
		c := &check{em: em, host: id + ".execute-api.localhost", env: env, twilio: twilio, model: thinker}
		return c.all(ctx)
	}
	api := fmt.Sprintf("http://%s.execute-api.localhost:%d", id, em.port)
	fmt.Printf("\nchat page  %s/\nhealth     %s/healthz\nemulator   %s (credentials test / test, region %s)\nsam local  .cache/cloud/template.json and env.json\n\nCtrl-C stops all of it.\n", api, api, em.url, region)
	select {
	case <-ctx.Done():
		fmt.Println("stopping")
		return nil
	case <-em.ended:
		return fmt.Errorf("the emulator has ended:\n%s", em.tail())
	}
}

// startStandIns starts the stand-in for the model, and returns the settings that lead to it and to Twilio's.
func startStandIns(twilio *twiliotest.Server, thinker http.Handler) (stop func(), settings map[string]string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: thinker, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // until it is closed
	return func() { server.Close() }, map[string]string{
		"OPENAI_BASE_URL": "http://" + l.Addr().String() + "/v1", "OPENAI_MODEL": rulemodel.Model, "SARA_MODEL": rulemodel.Model,
		"TWILIO_ACCOUNT_SID": twiliotest.AccountSID, "TWILIO_WHATSAPP_FROM": twiliotest.From, "TWILIO_BASE_URL": twilio.URL(),
	}, nil
}

// secret holds the values that the functions read at their first use.
func secret() string {
	raw, _ := json.Marshal(map[string]string{"OPENAI_API_KEY": "rule-based-needs-no-key", "TWILIO_AUTH_TOKEN": twiliotest.AuthToken}) // of strings
	return string(raw)
}

// deploy bootstraps the account and deploys the stack. It returns the id of the API.
func deploy(ctx context.Context, em *emulator, root, work string, settings map[string]string) (id string, err error) {
	if err := em.call(ctx, "secretsmanager", "secretsmanager.CreateSecret", map[string]string{"Name": secretName, "SecretString": secret()}, nil); err != nil {
		return "", fmt.Errorf("secret: %w", err)
	}
	outputs := filepath.Join(work, "outputs.json")
	app := []string{
		"--output", filepath.Join(work, "cdk.out"), "-c", "stage=" + stage, "-c", "disposable=true", "-c", "emulator=" + em.url,
		"-c", "dist=" + filepath.Join(root, ".cache", "cloud", "dist"), "-c", "architecture=" + map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH],
	}
	for name, value := range settings {
		app = append(app, "-c", name+"="+value)
	}
	cdk := func(dir string, args ...string) error {
		fmt.Println("cdk", args[0])
		c := exec.CommandContext(ctx, filepath.Join(root, ".cache", "cdk"), append(args, "--no-notices")...)
		c.Dir, c.Stdout, c.Stderr = dir, os.Stdout, os.Stderr
		c.Env = append(os.Environ(), em.environment()...)
		if err := c.Run(); err != nil {
			return fmt.Errorf("cdk %s: %w", args[0], err)
		}
		return nil
	}
	if err := cdk(work, "bootstrap", "aws://"+account+"/"+region); err != nil { // where there is no app to be put together first
		return "", err
	}
	// The bucket of assets refuses plain HTTP, which is all that the emulator speaks.
	if err := em.remove(ctx, "s3", "/cdk-hnb659fds-assets-"+account+"-"+region+"?policy="); err != nil {
		return "", err
	}
	if err := cdk(filepath.Join(root, "infra", "cdk"), append([]string{"deploy", "--require-approval", "never", "--outputs-file", outputs}, app...)...); err != nil {
		return "", err
	}
	return apiOf(outputs)
}

// apiOf finds the id of the API in the outputs of the stack. The emulator knows the API by a host of that name.
func apiOf(outputs string) (string, error) {
	raw, err := os.ReadFile(outputs)
	if err != nil {
		return "", err
	}
	var stacks map[string]map[string]string
	if err := json.Unmarshal(raw, &stacks); err != nil {
		return "", err
	}
	_, host, _ := strings.Cut(stacks["merve-"+stage]["ApiUrl"], "://")
	id, _, _ := strings.Cut(host, ".")
	if id == "" {
		return "", errors.New("the stack tells no ApiUrl: " + string(raw))
	}
	return id, nil
}
