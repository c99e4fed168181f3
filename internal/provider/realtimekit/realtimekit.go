// Package realtimekit creates meetings, and the tokens people join them with, through Cloudflare RealtimeKit's REST
// API. https://docs.realtime.cloudflare.com/api
//
// A [Client] is a live.Rooms. It tries each request once; the caller decides whether to try again. If an answer is lost,
// whatever the request created costs nothing and stays.
package realtimekit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

// DefaultBaseURL is Cloudflare's API.
const DefaultBaseURL = "https://api.cloudflare.com/client/v4"

const (
	defaultTimeout = 8 * time.Second
	maxAnswer      = 1 << 20 // bytes of an answer that are read
)

// Client asks RealtimeKit. Its methods may be called at the same time.
type Client struct {
	BaseURL string // "" is [DefaultBaseURL]
	Account string
	App     string
	Token   func(ctx context.Context) (string, error) // of the API
	Preset  string                                    // what participants may do
	HTTP    *http.Client                              // nil is one with Go's defaults
	Timeout time.Duration                             // of one request; 0 is 8 s
}

// Create makes a meeting and returns its id.
func (c *Client) Create(ctx context.Context, title string) (string, error) {
	var made struct {
		ID string `json:"id"`
	}
	err := c.post(ctx, "/meetings", map[string]string{"title": title}, &made)
	return made.ID, wanted(err, made.ID)
}

// Join adds a participant to a meeting, and returns their id and their token. Custom is our own name of them.
func (c *Client) Join(ctx context.Context, meeting, custom string) (participant, token string, err error) {
	var made struct {
		ID    string `json:"id"`
		Token string `json:"token"`
	}
	body := map[string]string{"custom_participant_id": custom, "preset_name": c.Preset}
	err = c.post(ctx, "/meetings/"+url.PathEscape(meeting)+"/participants", body, &made)
	return made.ID, made.Token, wanted(err, made.ID, made.Token)
}

// Renew returns a fresh token of a participant.
func (c *Client) Renew(ctx context.Context, meeting, participant string) (string, error) {
	var made struct {
		Token string `json:"token"`
	}
	path := "/meetings/" + url.PathEscape(meeting) + "/participants/" + url.PathEscape(participant) + "/token"
	err := c.post(ctx, path, map[string]string{}, &made)
	return made.Token, wanted(err, made.Token)
}

func wanted(err error, values ...string) error {
	for _, v := range values {
		if err == nil && v == "" {
			err = fault.New(fault.Unavailable, "realtimekit: the answer leaves out what was asked for")
		}
	}
	return err
}

// post makes one request and reads the data of a success into v.
func (c *Client) post(ctx context.Context, path string, body, v any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	token, err := c.Token(ctx)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "realtimekit: the API's token")
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("realtimekit: %w", err)
	}
	base := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/")
	address := base + "/accounts/" + url.PathEscape(c.Account) + "/realtime/kit/" + url.PathEscape(c.App) + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(data))
	if err != nil {
		return fault.Wrap(err, fault.Internal, "realtimekit: the address is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "realtimekit does not answer")
	}
	var answer struct {
		Success bool            `json:"success"`
		Data    json.RawMessage `json:"data"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	read := json.Unmarshal(got.Body, &answer)
	if got.Status >= 300 || read == nil && !answer.Success {
		return refusal(got.Status, fmt.Errorf("HTTP %d: %.200q", got.Status, fmt.Sprint(answer.Errors)))
	}
	if read != nil || json.Unmarshal(answer.Data, v) != nil {
		return fault.New(fault.Unavailable, "realtimekit: the answer cannot be read")
	}
	return nil
}

// refusal says what an answer that is no success means.
func refusal(status int, err error) error {
	switch {
	case status == http.StatusNotFound:
		return fault.Wrap(err, fault.NotFound, "realtimekit does not know the meeting or the participant")
	case status == http.StatusTooManyRequests:
		return fault.Wrap(err, fault.Limited, "realtimekit is asked too often")
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return fault.Wrap(err, fault.Internal, "realtimekit refuses the request")
	}
	return fault.Wrap(err, fault.Unavailable, "realtimekit is away")
}
