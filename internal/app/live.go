package app

import (
	"context"
	"net/http"

	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/web"
	"merve/internal/spine/live"
)

// liveTurns is the queue of what live conversations did, under its name in the wiring.
const liveTurns = "live"

// defaultCallee answers a live conversation when the client names nobody.
const defaultCallee = "pestcall"

// Live takes what happens on the sockets of live conversations.
func Live(b *Base) (trigger.Handler, error) {
	assistants, err := b.speakers()
	if err != nil {
		return nil, err
	}
	l, err := b.liveAPI(nil, assistants)
	if err != nil {
		return nil, err
	}
	return trigger.Socket(l, trigger.Log(b.Log)), nil
}

// LiveAPI answers live conversations by request.
func LiveAPI(b *Base) (trigger.Handler, error) {
	runner, err := b.runner()
	if err != nil {
		return nil, err
	}
	l, err := b.liveAPI(runner, runner.Assistants)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	l.Routes().Register(mux)
	page := web.Live(b.Config.LiveURL)
	mux.Handle("/live", page)
	mux.Handle("/live/static/", page)
	return b.http(mux), nil
}

// LiveTurn answers the unanswered messages of a live conversation, and tells sockets what they missed.
func LiveTurn(b *Base) (trigger.Handler, error) {
	runner, err := b.runner()
	if err != nil {
		return nil, err
	}
	host, err := b.host(runner.Assistants)
	if err != nil {
		return nil, err
	}
	return trigger.Queue(queue.Retry(b.queueOf(liveTurns), b.Log, func(ctx context.Context, m trigger.Message) error {
		w, err := live.ReadWork(m.Body)
		if err != nil {
			return err
		}
		if w.Socket != "" {
			return host.Replay(ctx, w.Thread, w.Socket, w.After)
		}
		return runner.Work(ctx, w.Thread)
	}), trigger.Log(b.Log)), nil
}
