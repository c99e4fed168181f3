package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/infra/wiring"
)

// options are what one deployment differs by from another, by the name of the context
// value that sets it. The settings of package wiring are context values too, by their
// own names (-c PUBLIC_URL=https://…).
type options struct {
	Stage      string // stage: names the stack merve-<stage>; dev when absent
	Secret     string // secret: name of the secret in Secrets Manager; merve/<stage> when absent
	AlarmEmail string // alarmEmail: who is told of alarms; nobody when absent
	Tracing    bool   // tracing=true: X-Ray
	Disposable bool   // disposable=true: tables, bucket and logs go with the stack
	Dist       string // dist: folder with <function>/bootstrap; ../../dist when absent
	X86        bool   // architecture=x86_64: functions are built for that; arm64 when absent

	Settings map[string]string
}

var stageName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// readOptions reads context values; get returns nil for one that is not set.
func readOptions(get func(name string) any) (options, error) {
	var errs []error
	text := func(name, absent string) string {
		switch v := get(name).(type) {
		case nil:
			return absent
		case string:
			return v
		default:
			errs = append(errs, fmt.Errorf("context %s: got %v, want a string", name, v))
			return absent
		}
	}
	flag := func(name string) bool {
		switch v := get(name); v {
		case nil, false, "false":
			return false
		case true, "true":
			return true
		default:
			errs = append(errs, fmt.Errorf("context %s: got %v, want true or false", name, v))
			return false
		}
	}

	o := options{Stage: text("stage", "dev"), Settings: map[string]string{}}
	o.Secret = text("secret", "merve/"+o.Stage)
	o.AlarmEmail = text("alarmEmail", "")
	o.Tracing = flag("tracing")
	o.Disposable = flag("disposable")
	o.Dist = text("dist", "../../dist")
	switch v := text("architecture", "arm64"); v {
	case "arm64":
	case "x86_64":
		o.X86 = true
	default:
		errs = append(errs, fmt.Errorf("context architecture: got %q, want arm64 or x86_64", v))
	}
	for _, s := range wiring.Settings() {
		if v := text(s.Name, s.Cloud); v != "" {
			o.Settings[s.Name] = v
		}
	}
	return o, errors.Join(append(errs, o.check(), o.checkPatience())...)
}

func (o options) check() error {
	issuer, audience := o.Settings["AUTH_ISSUER"], o.Settings["AUTH_AUDIENCE"]
	switch {
	case !stageName.MatchString(o.Stage):
		return fmt.Errorf("context stage: got %q, want a letter and up to 19 letters, digits or dashes, all lower case", o.Stage)
	case (issuer == "") != (audience == ""):
		return errors.New("context AUTH_ISSUER and AUTH_AUDIENCE: one is set without the other")
	case issuer != "" && !strings.HasPrefix(issuer, "https://"):
		return fmt.Errorf("context AUTH_ISSUER: got %q, want an https address", issuer)
	case o.AlarmEmail != "" && !strings.Contains(o.AlarmEmail, "@"):
		return errors.New("context alarmEmail: want an e-mail address")
	}
	return nil
}

// checkPatience refuses a GATEWAY_TIMEOUT at which a function would be stopped before it has said
// that the reply comes later.
func (o options) checkPatience() error {
	patience, err := time.ParseDuration(o.Settings["GATEWAY_TIMEOUT"])
	if err != nil {
		return errors.New("context GATEWAY_TIMEOUT: want a duration, such as 25s")
	}
	for _, f := range wiring.Functions() {
		most := time.Duration(f.Timeout-4) * time.Second // what is left is for handing over
		if slices.Contains(f.Settings, "GATEWAY_TIMEOUT") && patience > most {
			return fmt.Errorf("context GATEWAY_TIMEOUT: got %v, want at most %v: %s is stopped after %d s", patience, most, f.Name, f.Timeout)
		}
	}
	return nil
}
