package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/infra/wiring"
)

// options are the values in which deployments differ, by the name of the context
// value that sets them. The settings of package wiring are context values too, by their
// own names (-c PUBLIC_URL=https://…).
type options struct {
	Stage      string // stage: names the stack merve-<stage>; dev when absent
	Secret     string // secret: name of the secret in Secrets Manager; merve/<stage> when absent
	AlarmEmail string // alarmEmail: address that gets alarms; nobody does when absent
	Tables     string // tables: what the names of the tables begin with; CloudFormation names them when absent
	Tracing    bool   // tracing=true: X-Ray
	Disposable bool   // disposable=true: tables, bucket and logs go with the stack
	Dist       string // dist: folder with <function>/bootstrap; ../../dist when absent
	X86        bool   // architecture=x86_64: functions are built for that; arm64 when absent
	Emulator   string // emulator: address of one of AWS, which needs no TLS and has sockets under a path of its own; AWS itself when absent

	Settings map[string]string
}

// tablePrefix leaves room for our own names within DynamoDB's.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
var tablePrefix = regexp.MustCompile(`^[A-Za-z0-9._-]{1,60}$`)

var stageName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)

// readOptions reads context values. A value that nothing reads is an error: its name is misspelt, and otherwise the
// mistake would be noticed too late.
func readOptions(context map[string]any) (options, error) {
	errs := []error{unread(context)}
	text := func(name, absent string) string {
		switch v := context[name].(type) {
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
		switch v := context[name]; v {
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
	o.Tables = text("tables", "")
	o.Tracing = flag("tracing")
	o.Disposable = flag("disposable")
	o.Emulator = text("emulator", "")
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

// own are the names of the context values that are no settings.
var own = []string{"stage", "architecture", "secret", "alarmEmail", "tables", "tracing", "disposable", "dist", "emulator"}

// unread is an error about context values that nothing reads. Those of the CDK itself have a colon or an @ in their
// names.
func unread(context map[string]any) error {
	known := slices.Clone(own)
	for _, s := range wiring.Settings() {
		known = append(known, s.Name)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(context)) {
		if !slices.Contains(known, name) && !strings.ContainsAny(name, ":@") {
			errs = append(errs, fmt.Errorf("context %s: there is no such option; there are %s", name, strings.Join(known, ", ")))
		}
	}
	return errors.Join(errs...)
}

// forPeople reports whether a stage is one that people use: somebody has to be told of its alarms.
func (o options) forPeople() bool { return strings.HasPrefix(o.Stage, "prod") }

func (o options) check() error {
	issuer, audience := o.Settings["AUTH_ISSUER"], o.Settings["AUTH_AUDIENCE"]
	switch {
	case o.Tables != "" && !tablePrefix.MatchString(o.Tables):
		return fmt.Errorf("context tables: got %q, want up to 60 letters, digits, dots, dashes or underscores, such as merve-prod-", o.Tables)
	case !stageName.MatchString(o.Stage):
		return fmt.Errorf("context stage: got %q, want a letter and up to 19 letters, digits or dashes, all lower case", o.Stage)
	case (issuer == "") != (audience == ""):
		return errors.New("context AUTH_ISSUER and AUTH_AUDIENCE: one is set without the other")
	case issuer != "" && !strings.HasPrefix(issuer, "https://"):
		return fmt.Errorf("context AUTH_ISSUER: got %q, want an https address", issuer)
	case o.forPeople() && o.AlarmEmail == "":
		return fmt.Errorf("context alarmEmail: must be set for stage %s, or nobody is told of its alarms", o.Stage)
	case o.forPeople() && o.Emulator != "":
		return fmt.Errorf("context emulator: is not for stage %s", o.Stage)
	case o.Emulator != "" && !strings.HasPrefix(o.Emulator, "http://"):
		return fmt.Errorf("context emulator: got %q, want an http address", o.Emulator)
	case o.AlarmEmail != "" && !strings.Contains(o.AlarmEmail, "@"):
		return errors.New("context alarmEmail: want an e-mail address")
	}
	return nil
}

// checkPatience refuses a GATEWAY_TIMEOUT that would let a function be stopped before it has said
// that the reply comes later.
func (o options) checkPatience() error {
	patience, err := time.ParseDuration(o.Settings["GATEWAY_TIMEOUT"])
	if err != nil {
		return errors.New("context GATEWAY_TIMEOUT: want a duration, such as 25s")
	}
	for _, f := range wiring.Functions() {
		most := time.Duration(f.Timeout-4) * time.Second // the rest is for handing over
		if slices.Contains(f.Settings, "GATEWAY_TIMEOUT") && patience > most {
			return fmt.Errorf("context GATEWAY_TIMEOUT: got %v, want at most %v: %s is stopped after %d s", patience, most, f.Name, f.Timeout)
		}
	}
	return nil
}

// checkSettings reads the settings the way the functions will: a stack whose functions die at start must not be
// made. The program that reads them is built from the functions' module, whose folder is root.
func (o options) checkSettings(root string) error {
	check := exec.Command("go", "run", "./infra/settings")
	check.Dir, check.Env = root, os.Environ()
	for _, s := range wiring.Settings() {
		check.Env = append(check.Env, s.Name+"="+o.Settings[s.Name])
	}
	out, err := check.CombinedOutput()
	if err != nil {
		return fmt.Errorf("the functions would not start: %s (%w)", strings.TrimSpace(string(out)), err)
	}
	return nil
}
