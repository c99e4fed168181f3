package app

import (
	"context"
	"errors"
	"maps"
	"net/http"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/web"
	"merve/internal/plan/worker/kind"
)

// The plan engine's queues and buses, as the wiring names them.
const (
	userCommands = "user-commands"
	planEvents   = "plan-events"
	workerRag    = "worker-rag"

	conversationEvents     = "conversation-events"
	toolInvocationRequests = "tool-invocation-requests"
	botOutputEvents        = "bot_output_events"
)

// ragTool has a function of its own: the weights of its model are some 90 MB.
const ragTool = "rag"

// PlanAPI takes questions in several parts, answers them, and shows how.
func PlanAPI(b *Base) (trigger.Handler, error) {
	e, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	plans := &api.Plans{Who: b.who(), Engine: e, Anonymous: b.anonymous(), Patience: b.Config.Patience, Now: b.Now}
	plans.Routes().Register(mux)
	mux.Handle("/trace/", web.Trace())
	return b.http(mux), nil
}

// Publisher publishes the events of plans as they are stored: questions for the router, requests for the workers, and
// all others for any subscriber.
func Publisher(b *Base) (trigger.Handler, error) {
	p := b.publisher()
	return b.stream(func(ctx context.Context, r trigger.Record) error { return p.Publish(ctx, dynamo.Item(r.New)) }), nil
}

// planWorker delivers to plans what a queue brings.
func (b *Base) planWorker(name string, find products) (trigger.Handler, error) {
	e, err := b.planEngine(find)
	if err != nil {
		return nil, err
	}
	return trigger.Queue(queue.Retry(b.queueOf(name), b.Log, func(ctx context.Context, m trigger.Message) error {
		return e.DeliverMessage(ctx, m.Body)
	}), trigger.Log(b.Log)), nil
}

// Router makes plans of questions that nobody has planned.
func Router(b *Base) (trigger.Handler, error) { return b.planWorker(userCommands, nil) }

// Orchestrator continues plans that have new events.
func Orchestrator(b *Base) (trigger.Handler, error) { return b.planWorker(planEvents, nil) }

// Aggregator writes answers that nobody has written.
func Aggregator(b *Base) (trigger.Handler, error) { return b.planWorker("plan-answers", nil) }

// Worker runs the steps of plans that the queue of its kind brings: it is the worker whose queue the environment names.
func Worker(b *Base) (trigger.Handler, error) {
	for _, k := range kind.All() {
		if !k.Apart && b.Config.QueueURLs[k.Name()] != "" {
			return b.planWorker(k.Name(), nil)
		}
	}
	return nil, errors.New("no queue of a worker is in the environment, such as WORKER_MATH_QUEUE_URL")
}

// WorkerRag runs the steps that look for products. Only its program has the model for that.
func WorkerRag(b *Base) (trigger.Handler, error) {
	return b.planWorker(workerRag, b.productIndex(b.figures().Spend))
}

// workers are the constructors of all kinds of workers by the names of their functions. Those apart are given.
func workers(apart map[string]func(*Base) (trigger.Handler, error)) map[string]func(*Base) (trigger.Handler, error) {
	all := maps.Clone(apart)
	for _, k := range kind.All() {
		if !k.Apart {
			all[k.Name()] = func(b *Base) (trigger.Handler, error) { return b.planWorker(k.Name(), nil) }
		}
	}
	return all
}

// Collection looks after plans whose process has died, and closes those that got too old.
func Collection(b *Base) (trigger.Handler, error) {
	e, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	return b.scheduled([]sweep{within("plans", dynamo.Budget{Workers: 8}, e.Sweep)}), nil
}
