package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"merve/infra/wiring"
	"merve/internal/base/pause"
	"merve/internal/provider/twilio/twiliotest"
)

// check drives a deployment from outside.
type check struct {
	em     *emulator
	host   string // of the API
	env    map[string]string
	twilio *twiliotest.Server
	model  *model
}

// checks lists the checks, in order.
var checks = []struct {
	name string
	run  func(*check, context.Context) error
}{
	{"health", (*check).health},
	{"a change that nobody can read, and what is behind it", (*check).poison},
	{"a booking on the page", (*check).pageBooking},
	{"a booking on WhatsApp", (*check).whatsAppBooking},
	{"an order, and the business that accepts it", (*check).order},
	{"a damage report", (*check).report},
	{"a question in several parts", (*check).question},
	{"a talk over a socket", (*check).live},
	{"an outage of what tells businesses", (*check).outage},
	{"a turn that was given up is shown", (*check).redrive},
	{"a turn whose process is killed", (*check).killed},
	{"pages, look-ups and schedules", (*check).rest},
	{"no role refused anything", (*check).denied},
	{"every function has run", (*check).invoked},
}

func (c *check) all(ctx context.Context) error {
	var errs []error
	for _, one := range checks {
		start := time.Now()
		err := one.run(c, ctx)
		outcome := "ok"
		if err != nil {
			outcome = err.Error()
		}
		fmt.Printf("%-50s %5.1f s  %s\n", one.name, time.Since(start).Seconds(), outcome)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", one.name, err))
		}
	}
	return errors.Join(errs...)
}

// patience is how long an expected result may take on a machine with other work.
const patience = 90 * time.Second

// until waits for a condition.
func until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := holds()
		if ok {
			return nil
		}
		if waited := pause.For(ctx, 500*time.Millisecond); waited != nil {
			return errors.Join(fmt.Errorf("waited in vain: %s", what), err)
		}
	}
}

// ask sends a request to the API: the emulator knows it by its host.
func (c *check) ask(ctx context.Context, method, path, contentType, body string, header ...string) (status int, answer map[string]any, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.em.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Host = c.host
	if body != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, err
	}
	if json.Unmarshal(raw, &answer) != nil { // no JSON, such as a page
		answer = map[string]any{"text": string(raw)}
	}
	return resp.StatusCode, answer, nil
}

func (c *check) health(ctx context.Context) error {
	status, answer, err := c.ask(ctx, http.MethodGet, "/healthz", "", "")
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d: %v", status, answer)
	}
	return err
}

// say has a customer write on the page, and waits for the answer.
func (c *check) say(ctx context.Context, session, text, want string) error {
	_, err := c.answer(ctx, session, text, want)
	return err
}

// answer does what say does, and also returns the answer.
func (c *check) answer(ctx context.Context, session, text, want string) (found string, err error) {
	body, err := json.Marshal(map[string]string{"sessionId": session, "message": text, "clientMessageId": uuid.NewString()})
	if err != nil {
		return "", err
	}
	err = until(ctx, want, func() (bool, error) { // a repeat gets the answer that came too late for the gateway
		status, answer, err := c.ask(ctx, http.MethodPost, "/chat/message", "application/json", string(body))
		all, _ := json.Marshal(answer)
		found = string(all)
		holds := err == nil && status == http.StatusOK && strings.Contains(found, want)
		return holds, errors.Join(err, fmt.Errorf("%q: %d %.3000s", text, status, all))
	})
	return found, err
}

func (c *check) pageBooking(ctx context.Context) error {
	session, since := uuid.NewString(), len(c.twilio.Messages())
	for _, turn := range [][2]string{
		{"sushi in Kyrenia", "Harbour Sushi"}, {"book the first one for 2 people tomorrow at 19:00", "awaiting_confirmation"}, {"YES", "confirmed"},
	} {
		if err := c.say(ctx, session, turn[0], turn[1]); err != nil {
			return err
		}
	}
	return c.sent(ctx, since, "", "") // the business is told, by a template
}

// sent waits until Twilio was given words, for somebody or for anybody.
func (c *check) sent(ctx context.Context, since int, to, want string) error {
	return until(ctx, want, func() (bool, error) {
		messages := c.twilio.Since(since)
		return slices.ContainsFunc(messages, func(m twiliotest.Message) bool {
			return strings.Contains(m.To, to) && strings.Contains(m.Body, want)
		}), fmt.Errorf("%d messages sent", len(messages))
	})
}

// whatsAppBooking writes as a customer of Twilio's does, each message twice.
func (c *check) whatsAppBooking(ctx context.Context) error {
	const customer = "+15550123"
	for _, turn := range [][2]string{
		{"sushi in Kyrenia", "Harbour Sushi"}, {"book the first one for 2 people tomorrow at 18:00", "YES"}, {"YES", "confirmed"},
	} {
		since := len(c.twilio.Messages())
		if err := c.whatsApp(ctx, customer, turn[0], 2); err != nil {
			return err
		}
		if err := c.sent(ctx, since, customer, turn[1]); err != nil {
			return err
		}
	}
	return nil
}

// question asks the plan engine. Products are found where the weights are, and the weather where there is a network.
func (c *check) question(ctx context.Context) error {
	if err := c.plan(ctx, "What is 15 % of 340, what is the weather in Kyrenia, and which laptop under $2000 do you have?", "51"); err != nil {
		return err
	}
	return c.plan(ctx, "What do you think of clouds?", "general_chat")
}

// plan asks a question, and waits until its trace has an answer and a text.
func (c *check) plan(ctx context.Context, prompt, want string) error {
	conversation := uuid.NewString()
	body, err := json.Marshal(map[string]string{"conversationId": conversation, "prompt": prompt})
	if err != nil {
		return err
	}
	status, answer, err := c.ask(ctx, http.MethodPost, "/api/chat", "application/json", string(body))
	if err != nil || status != http.StatusOK && status != http.StatusAccepted {
		return fmt.Errorf("%d %v %w", status, answer, err)
	}
	return until(ctx, "the answer", func() (bool, error) {
		_, trace, err := c.ask(ctx, http.MethodGet, "/api/chat/"+conversation+"/trace", "", "")
		all, _ := json.Marshal(trace)
		return strings.Contains(string(all), "FinalAnswerSynthesized") && strings.Contains(string(all), want), errors.Join(err, fmt.Errorf("%.600s", all))
	})
}

// logs goes through what a function has logged.
func (c *check) logs(ctx context.Context, do func(group, message string)) error {
	var groups struct {
		LogGroups []struct {
			LogGroupName string `json:"logGroupName"`
		} `json:"logGroups"`
	}
	if err := c.em.call(ctx, "logs", "Logs_20140328.DescribeLogGroups", map[string]any{}, &groups); err != nil {
		return err
	}
	for _, g := range groups.LogGroups {
		var found struct {
			Events []struct {
				Message string `json:"message"`
			} `json:"events"`
		}
		if err := c.em.call(ctx, "logs", "Logs_20140328.FilterLogEvents", map[string]any{"logGroupName": g.LogGroupName, "limit": 10000}, &found); err != nil {
			return err
		}
		for _, e := range found.Events {
			do(g.LogGroupName, e.Message)
		}
	}
	return nil
}

// denied finds what a role has refused.
func (c *check) denied(ctx context.Context) error {
	var all []string
	err := c.logs(ctx, func(group, message string) {
		if strings.Contains(message, "AccessDenied") || strings.Contains(message, "not authorized to perform") {
			all = append(all, group+": "+message)
		}
	})
	if len(all) > 0 {
		err = errors.Join(err, fmt.Errorf("%d times, first %.500s", len(all), all[0]))
	}
	return err
}

// invoked wants every function to have run.
func (c *check) invoked(ctx context.Context) error {
	ran := map[string]bool{}
	err := c.logs(ctx, func(group, _ string) {
		for _, f := range wiring.Functions() {
			if strings.Contains(strings.ToLower(group), strings.ReplaceAll(f.Name, "-", "")) {
				ran[f.Name] = true
			}
		}
	})
	var not []string
	for _, f := range wiring.Functions() {
		if !ran[f.Name] {
			not = append(not, f.Name)
		}
	}
	if len(not) > 0 {
		err = errors.Join(err, fmt.Errorf("%d have logged, and not %v", len(ran), not))
	}
	return err
}
