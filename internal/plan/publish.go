package plan

import (
	"context"
	"encoding/json"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
)

// Publisher publishes the events of plans as they are stored: questions for the router, requests for the workers, and
// all others for any subscriber. Answers are published twice, the second time in the form that pages read.
type Publisher struct {
	Questions queue.Queue
	Events    bus.Bus
	Requests  bus.Bus
	Answers   bus.Bus
}

// Publish publishes the event in an item. An item that is no event is not published.
func (p *Publisher) Publish(ctx context.Context, it dynamo.Item) error {
	ref, e, ok, err := ReadItem(it)
	if !ok || err != nil {
		return err
	}
	detail, err := json.Marshal(e.Wire())
	if err != nil {
		return err
	}
	published := bus.Event{Source: "merve.plan", Type: string(e.Type), Detail: detail, At: e.At}
	switch e.Type {
	case UserQueryReceived:
		return p.Questions.Send(ctx, queue.Message{Group: ref.Conversation, Dedupe: e.Correlation, Body: string(detail)})
	case ToolInvocationRequested:
		return p.Requests.Put(ctx, published)
	case FinalAnswerSynthesized:
		if err := p.Answers.Put(ctx, botResponse(e)); err != nil {
			return err
		}
	}
	return p.Events.Put(ctx, published)
}

// botResponse is an answer in the form that pages take.
func botResponse(e Event) bus.Event {
	var f Final
	_ = json.Unmarshal(e.Payload, &f) // it was checked when it was stored
	detail, _ := json.Marshal(map[string]any{
		"conversationId": f.ConversationID, "correlationId": e.Correlation, "message": f.FinalAnswer, "timestamp": e.At.UnixMilli(),
	})
	return bus.Event{Source: "merve.plan", Type: "BotResponseMessage", Detail: detail, At: e.At}
}

// DeliverMessage delivers the body of a message of a queue: an event in the envelope of the bus, an event as it was sent
// at once, or a timer. What is done follows from the plan, so that router, orchestrator, aggregator and workers are one
// program with a queue each.
func (e *Engine) DeliverMessage(ctx context.Context, message string) error {
	body := []byte(message)
	if enveloped, err := bus.Read(message); err == nil {
		body = enveloped.Detail
		if enveloped.Trace != "" { // the bus gives a queue no attributes
			ctx = telemetry.WithTrace(ctx, enveloped.Trace)
		}
	}
	return e.Deliver(ctx, body)
}
