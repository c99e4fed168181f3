package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadOptions(t *testing.T) {
	t.Parallel()
	defaults := map[string]string{"LOG_LEVEL": "info", "GATEWAY_TIMEOUT": "25s", "MINILM_DIR": "minilm", "OCR_ENGINE": "none"}
	tests := []struct {
		name    string
		context map[string]any
		want    options
		err     string // part of the error
	}{
		{
			name: "nothing set",
			want: options{Stage: "dev", Secret: "merve/dev", Dist: "../../dist", Settings: defaults},
		},
		{
			name:    "everything about a test stack",
			context: map[string]any{"stage": "test-2", "disposable": "true", "tracing": true, "dist": "/d", "secret": "s", "alarmEmail": "ops@example.com"},
			want: options{
				Stage: "test-2", Secret: "s", AlarmEmail: "ops@example.com", Tracing: true, Disposable: true, Dist: "/d",
				Settings: defaults,
			},
		},
		{
			name:    "settings",
			context: map[string]any{"LOG_LEVEL": "debug", "OPENAI_MODEL": "m"},
			want: options{
				Stage: "dev", Secret: "merve/dev", Dist: "../../dist",
				Settings: map[string]string{"LOG_LEVEL": "debug", "GATEWAY_TIMEOUT": "25s", "MINILM_DIR": "minilm", "OCR_ENGINE": "none", "OPENAI_MODEL": "m"},
			},
		},
		{
			name:    "another processor",
			context: map[string]any{"architecture": "x86_64"},
			want:    options{Stage: "dev", Secret: "merve/dev", Dist: "../../dist", X86: true, Settings: defaults},
		},
		{name: "an emulator for people", context: map[string]any{"stage": "prod", "alarmEmail": "ops@example.com", "emulator": "http://127.0.0.1:4566"}, err: "context emulator"},
		{name: "an emulator nowhere", context: map[string]any{"emulator": "true"}, err: "context emulator"},
		{name: "no processor", context: map[string]any{"architecture": "amd64"}, err: `context architecture: got "amd64"`},
		{name: "stage", context: map[string]any{"stage": "Prod"}, err: `context stage: got "Prod"`},
		{name: "long stage", context: map[string]any{"stage": strings.Repeat("a", 21)}, err: "context stage"},
		{name: "flag", context: map[string]any{"disposable": "yes"}, err: "context disposable: got yes, want true or false"},
		{name: "number", context: map[string]any{"OPENAI_MODEL": 4.0}, err: "context OPENAI_MODEL: got 4, want a string"},
		{name: "issuer alone", context: map[string]any{"AUTH_ISSUER": "https://i.example.com"}, err: "AUTH_AUDIENCE"},
		{name: "audience alone", context: map[string]any{"AUTH_AUDIENCE": "a"}, err: "AUTH_ISSUER"},
		{name: "plain issuer", context: map[string]any{"AUTH_ISSUER": "http://i.example.com", "AUTH_AUDIENCE": "a"}, err: "https"},
		{name: "long patience", context: map[string]any{"GATEWAY_TIMEOUT": "26s"}, err: "GATEWAY_TIMEOUT: got 26s, want at most 25s"},
		{name: "patience in words", context: map[string]any{"GATEWAY_TIMEOUT": "soon"}, err: "GATEWAY_TIMEOUT: want a duration"},
		{name: "misspelt", context: map[string]any{"alarmMail": "ops@example.com"}, err: "context alarmMail: there is no such option; there are stage, architecture, secret, alarmEmail"},
		{name: "misspelt setting", context: map[string]any{"OPENAI_MODLE": "m"}, err: "context OPENAI_MODLE: there is no such option"},
		{name: "for people, and nobody is told", context: map[string]any{"stage": "prod"}, err: "context alarmEmail: must be set for stage prod"},
		{name: "e-mail", context: map[string]any{"alarmEmail": "ops"}, err: "context alarmEmail"},
		{name: "two wrong", context: map[string]any{"tracing": 1.0, "stage": ""}, err: "context stage"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := readOptions(tt.context)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one about %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The functions' own reading of their settings is asked before a stack is made of them.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	o, err := readOptions(map[string]any{"PUBLIC_URL": "https://merve.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.checkSettings("../.."); err != nil {
		t.Error(err)
	}
	for name, value := range map[string]string{"PUBLIC_URL": "merve", "LOG_LEVEL": "loud", "AUTH_JWKS_URL": "keys"} {
		wrong := o
		wrong.Settings = maps.Clone(o.Settings)
		wrong.Settings[name] = value
		if err := wrong.checkSettings("../.."); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// What the CDK says of itself is no option of ours.
func TestContextOfTheCDK(t *testing.T) {
	context, ok := newApp(nil).Node().GetAllContext(nil).(map[string]any)
	if err := unread(context); !ok || len(context) == 0 || err != nil {
		t.Errorf("%v: %v", context, err)
	}
}
