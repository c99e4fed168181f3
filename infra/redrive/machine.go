package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// machine has the queues of a running `make run`.
type machine struct {
	base string
	http *http.Client
}

func (m machine) read(ctx context.Context, name string) ([]letter, error) {
	var on struct {
		Queues []struct {
			Name       string
			DeadLetter string
			Dead       []struct {
				Body     string
				Receives int
				SentAt   time.Time
			}
		}
	}
	if err := m.call(ctx, http.MethodGet, "/dev/queues", &on); err != nil {
		return nil, err
	}
	var found []letter
	for _, q := range on.Queues {
		if q.DeadLetter != name && q.Name != name {
			continue
		}
		for _, d := range q.Dead {
			found = append(found, letter(d))
		}
	}
	return found, nil
}

func (m machine) redrive(ctx context.Context, name, to string) (string, error) {
	var done struct{ Moved, Left int }
	path := "/dev/queues/" + url.PathEscape(name) + "/redrive?to=" + url.QueryEscape(to)
	if err := m.call(ctx, http.MethodPost, path, &done); err != nil {
		return "", err
	}
	told := fmt.Sprintf("sent again: %d", done.Moved)
	if done.Left > 0 {
		told += fmt.Sprintf("; left: %d that a function put there itself (say where they belong with TO=)", done.Left)
	}
	return told, nil
}

func (m machine) call(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, m.base+path, nil)
	if err != nil {
		return err
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return fmt.Errorf("is `make run` running? %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, strings.TrimSpace(string(body)))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
