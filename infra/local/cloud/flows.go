package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"

	"merve/internal/base/pattern"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/provider/twilio/twiliotest"
)

// pide is the number of the business whose listing of the demo market takes orders.
const pide = "+15550101047"

// whatsApp has somebody write on WhatsApp, as often as Twilio delivers it.
func (c *check) whatsApp(ctx context.Context, from, text string, times int) error {
	address := strings.TrimSuffix(c.env["PUBLIC_URL"], "/") + "/webhooks/whatsapp"
	form := url.Values{
		"MessageSid": {"SM" + strings.ReplaceAll(uuid.NewString(), "-", "")}, "From": {"whatsapp:" + from}, "To": {"whatsapp:" + twiliotest.From},
		"Body": {text}, "NumMedia": {"0"},
	}
	for range times {
		status, answer, err := c.ask(ctx, http.MethodPost, "/webhooks/whatsapp", "application/x-www-form-urlencoded", form.Encode(),
			"X-Twilio-Signature", c.twilio.Sign(address, form))
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("%q: %d %v %w", text, status, answer, err)
		}
	}
	return nil
}

// reference is the code of an order in what its customer is told.
var reference = pattern.New(`Reference: ([A-Z0-9]{4,8})`)

// order goes from a customer on the page to the business on WhatsApp, and back.
func (c *check) order(ctx context.Context) error {
	since := len(c.twilio.Messages())
	if err := c.whatsApp(ctx, pide, "hello", 1); err != nil { // it can be written to from now on
		return err
	}
	if err := c.sent(ctx, since, pide, ""); err != nil {
		return err
	}
	session := uuid.NewString()
	since = len(c.twilio.Messages())
	for _, turn := range [][2]string{
		{"order two lahmacun and an ayran from Hilltop Pide, to pick up tomorrow at 13:00", "Spiciness"}, {"hot", "awaiting_confirmation"},
	} {
		if err := c.say(ctx, session, turn[0], turn[1]); err != nil {
			return err
		}
	}
	placed, err := c.answer(ctx, session, "YES", "Reference: ")
	if err != nil {
		return err
	}
	found := reference.Regexp().FindStringSubmatch(placed)
	if found == nil {
		return fmt.Errorf("no code in %.600s", placed)
	}
	code := found[1]
	if err := c.sent(ctx, since, pide, code); err != nil {
		return err
	}
	if err := c.whatsApp(ctx, pide, "ACCEPT "+code+" 30", 2); err != nil {
		return err
	}
	return c.say(ctx, session, "has my order been accepted?", code)
}

// report has a damage report taken by the widget's assistant.
func (c *check) report(ctx context.Context) error {
	session := uuid.NewString()
	tell := func(text, want string) error {
		body, err := json.Marshal(map[string]string{"sessionId": session, "text": text})
		if err != nil {
			return err
		}
		return until(ctx, want, func() (bool, error) {
			status, answer, err := c.ask(ctx, http.MethodPost, "/web-chat-api", "application/json", string(body))
			all, _ := json.Marshal(answer)
			return err == nil && status == http.StatusOK && strings.Contains(strings.ToLower(string(all)), want), errors.Join(err, fmt.Errorf("%q: %d %.400s", text, status, all))
		})
	}
	if err := tell("A pipe burst at 12 Harbour Road", "photo"); err != nil {
		return err
	}
	return tell("no photos", "report")
}

// live talks over a socket.
func (c *check) live(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	target := c.env["LIVE_URL"] + "?" + url.Values{"conversationId": {uuid.NewString()}, "callSessionId": {uuid.NewString()}, "phone": {"+14155550100"}}.Encode()
	socket, _, err := websocket.Dial(ctx, target, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	defer socket.CloseNow()
	hears := func(want string) error {
		for {
			var frame struct{ Type, Text string }
			if err := wsjson.Read(ctx, socket, &frame); err != nil {
				return fmt.Errorf("waited in vain for %q: %w", want, err)
			}
			if strings.Contains(frame.Text, want) && frame.Type == "final" {
				return nil
			}
		}
	}
	if err := hears("ZIP"); err != nil {
		return err
	}
	if err := wsjson.Write(ctx, socket, map[string]string{"type": "message", "text": "94107"}); err != nil {
		return err
	}
	return hears("")
}

// lambda calls Lambda's API, as the account's owner.
func (c *check) lambda(ctx context.Context, method, path string, in, out any) error {
	body := []byte(nil)
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.em.url+"/2015-03-31"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return c.em.send(ctx, "lambda", req, body, out)
}

// named is the real name of a function.
func (c *check) named(ctx context.Context, name string) (string, error) {
	var listed struct {
		Functions []struct{ FunctionName string }
	}
	if err := c.em.get(ctx, "lambda", "/2015-03-31/functions/", &listed); err != nil {
		return "", err
	}
	want := strings.ReplaceAll(name, "-", "") + "function"
	for _, f := range listed.Functions {
		if strings.Contains(strings.ToLower(f.FunctionName), "-"+want) {
			return f.FunctionName, nil
		}
	}
	return "", fmt.Errorf("no function %s", name)
}

// invoke starts a function with a sample of its event.
func (c *check) invoke(ctx context.Context, name string) error {
	payload, err := os.ReadFile(filepath.Join("events", name+".json"))
	if err != nil {
		return err
	}
	real, err := c.named(ctx, name)
	if err != nil {
		return err
	}
	return c.lambda(ctx, http.MethodPost, "/functions/"+real+"/invocations", json.RawMessage(payload), nil)
}

// mapping is how a stream starts a function.
type mapping struct {
	UUID, EventSourceArn, FunctionArn string
	BatchSize                         int
	FilterCriteria                    json.RawMessage `json:",omitempty"`
}

// outage takes the function away that tells businesses, until its stream has gone on, and gives it back.
func (c *check) outage(ctx context.Context) error {
	real, err := c.named(ctx, "notify")
	if err != nil {
		return err
	}
	var found struct{ EventSourceMappings []mapping }
	if err := c.lambda(ctx, http.MethodGet, "/event-source-mappings/?FunctionName="+real, nil, &found); err != nil {
		return err
	}
	if len(found.EventSourceMappings) != 1 {
		return fmt.Errorf("%s has %d mappings", real, len(found.EventSourceMappings))
	}
	m := found.EventSourceMappings[0]
	if err := c.lambda(ctx, http.MethodDelete, "/event-source-mappings/"+m.UUID, nil, nil); err != nil {
		return err
	}
	since := len(c.twilio.Messages())
	session := uuid.NewString()
	for _, turn := range [][2]string{
		{"sushi in Kyrenia", "Harbour Sushi"}, {"book the first one for 2 people tomorrow at 20:00", "awaiting_confirmation"}, {"YES", "confirmed"},
	} {
		if err := c.say(ctx, session, turn[0], turn[1]); err != nil {
			return err
		}
	}
	if told := c.twilio.Since(since); len(told) > 0 {
		return fmt.Errorf("the business was told by nobody: %+v", told[0])
	}
	if err := c.lambda(ctx, http.MethodPost, "/event-source-mappings/", map[string]any{
		"FunctionName": real, "EventSourceArn": m.EventSourceArn, "BatchSize": m.BatchSize, "StartingPosition": "LATEST", "FilterCriteria": m.FilterCriteria,
		"FunctionResponseTypes": []string{"ReportBatchItemFailures"},
	}, nil); err != nil {
		return err
	}
	if err := c.age(ctx); err != nil {
		return err
	}
	if err := c.invoke(ctx, "invariants"); err != nil { // which comes every five minutes by itself
		return err
	}
	if err := c.sent(ctx, since, "", ""); err != nil {
		return err
	}
	if err := c.invoke(ctx, "invariants"); err != nil {
		return err
	}
	if told := c.twilio.Since(since); len(told) != 1 {
		return fmt.Errorf("the business was told %d times", len(told))
	}
	return nil
}

// age backdates events that nobody has heard of, as if the outage had passed.
func (c *check) age(ctx context.Context) error {
	t := dynamo.Open(c.em.config()).Table(c.env["TABLE_LEDGER"])
	aged := 0
	_, err := t.EachDue(ctx, "untold", time.Now().Add(time.Hour), dynamo.Budget{}, func(key dynamo.Key) (bool, error) {
		aged++
		return true, t.DB().Commit(ctx, t.Update(key, "SET dueAt = :then", dynamo.V{":then": time.Now().Add(-event.Patience)}))
	})
	if err == nil && aged == 0 {
		err = errors.New("no event is due")
	}
	return err
}

// poison writes a change to a table that no release could read: it must raise an alert, and the changes behind it go on.
func (c *check) poison(ctx context.Context) error {
	db := dynamo.Open(c.em.config())
	t := db.Table(c.env["TABLE_LEDGER"])
	key := dynamo.Key{PK: "tx#poison", SK: event.Prefix + uuid.NewString()}
	if err := db.Commit(ctx, t.Put(key, map[string]any{"kind": "tx", "tx": "no transaction", "at": "never"})); err != nil {
		return err
	}
	return until(ctx, "an alert", func() (bool, error) {
		raw, err := c.scan(ctx, c.env["TABLE_ALERTS"])
		return strings.Contains(raw, key.SK), errors.Join(err, fmt.Errorf("alerts: %.600s", raw))
	})
}

// scan is all that a table holds, as text.
func (c *check) scan(ctx context.Context, table string) (string, error) {
	var found json.RawMessage
	err := c.em.call(ctx, "dynamodb", "DynamoDB_20120810.Scan", map[string]any{"TableName": table}, &found)
	return string(found), err
}

// redrive shows a turn that was given up, as the runbook says. That it is sent back is left out: the emulator has no
// StartMessageMoveTask.
func (c *check) redrive(ctx context.Context) error {
	var queues struct{ QueueUrls []string }
	if err := c.em.call(ctx, "sqs", "AmazonSQS.ListQueues", map[string]any{}, &queues); err != nil {
		return err
	}
	failed := ""
	for _, q := range queues.QueueUrls {
		if strings.Contains(q, "TurnsFailedQueue") {
			failed = q
		}
	}
	thread := "th_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:20]
	if err := c.em.call(ctx, "sqs", "AmazonSQS.SendMessage", map[string]any{
		"QueueUrl": failed, "MessageBody": `{"threadId":"` + thread + `"}`, "MessageGroupId": thread, "MessageDeduplicationId": thread,
	}, nil); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./infra/redrive")
	cmd.Env = append(append(os.Environ(), c.em.environment()...), "QUEUE=turns-failed", "LOOK=1", "STAGE="+stage)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), thread) {
		return fmt.Errorf("redrive: %w: %s", err, out)
	}
	return nil
}

// killed kills the process of a turn while its model thinks, and lets the queue bring the same turn again, twice.
func (c *check) killed(ctx context.Context) error {
	const customer = "+15550177"
	real, err := c.named(ctx, "turn")
	if err != nil {
		return err
	}
	since := len(c.twilio.Messages())
	thinks := c.model.hold("sushi in Lapta")
	if err := c.whatsApp(ctx, customer, "sushi in Lapta", 2); err != nil {
		return err
	}
	select {
	case <-thinks:
	case <-time.After(patience):
		return errors.New("no turn began")
	}
	pids, err := processesOf(real, c.em.url)
	if err != nil {
		return err
	}
	if len(pids) == 0 {
		return fmt.Errorf("%s has no process", real)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
	}
	c.model.release()
	// The queue shows the message again once its visibility has ended.
	for range 3 {
		if err = c.sent(ctx, since, customer, ""); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	if err := c.whatsApp(ctx, customer, "thank you", 2); err != nil {
		return err
	}
	if err := until(ctx, "an answer to the next message", func() (bool, error) { return c.answers(since, customer) >= 2, nil }); err != nil {
		return err
	}
	if n := c.answers(since, customer); n != 2 {
		return fmt.Errorf("two messages were answered %d times", n)
	}
	return nil
}

// answers counts the messages to somebody.
func (c *check) answers(since int, to string) (n int) {
	for _, m := range c.twilio.Since(since) {
		if m.To == to {
			n++
		}
	}
	return n
}

// processesOf returns the processes that the emulator runs a function in.
func processesOf(function, emulator string) (pids []int, err error) {
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	for _, path := range found {
		raw, err := os.ReadFile(path)
		if err != nil { // it has ended, or is somebody else's
			continue
		}
		env := strings.Split(string(raw), "\x00")
		if pid, err := strconv.Atoi(strings.Split(path, "/")[2]); err == nil && slices.Contains(env, "AWS_LAMBDA_FUNCTION_NAME="+function) && strings.Contains(string(raw), emulator) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// rest starts what nothing above has started: pages and look-ups by their routes, and schedules without waiting for them.
func (c *check) rest(ctx context.Context) error {
	for path, want := range map[string]int{
		"/admin": http.StatusOK, "/pay/static/pay.css": http.StatusOK, "/marketplace/states": http.StatusOK,
		"/webhooks/messenger?hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1": http.StatusForbidden,
		"/api/conversations/" + uuid.NewString() + "/state":                             http.StatusNotFound,
	} {
		if status, answer, err := c.ask(ctx, http.MethodGet, path, "", ""); err != nil || status != want {
			return fmt.Errorf("%s: %d, want %d: %v %w", path, status, want, answer, err)
		}
	}
	for _, name := range []string{"expiry", "invariants", "sweep", "outreach", "collection", "ocr"} {
		if err := c.invoke(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
