package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"merve/internal/agent/tool"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/api"
	"merve/internal/edge/web"
	"merve/internal/model/llm"
	"merve/internal/model/minilm"
	"merve/internal/plan"
	"merve/internal/plan/product"
	"merve/internal/plan/weather"
	"merve/internal/plan/worker"
	"merve/internal/provider/openai"
	"merve/internal/provider/openmeteo"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media"
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

// Plans returns the store of plans.
func (b *Base) Plans() *plan.Store {
	return &plan.Store{Table: b.conversations(), Now: b.Now, Results: media.NewFiles(b.mediaBucket(), b.Now)}
}

// planEngine makes plans. Without products, those are looked for by the function that has them.
func (b *Base) planEngine(products func(context.Context) (worker.Products, error)) (*plan.Engine, error) {
	figures := b.figures()
	e := &plan.Engine{
		Store: b.Plans(), Model: &lazyModel{b: b}, Market: b.marketOrHome, Purse: figures, Timers: b.queueOf(planEvents),
		Guard: b.guard(&lazyModel{b: b}), Site: b.Config.SiteURL,
		Holder: rand.Text(), NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Now: b.Now, Log: b.Log,
	}
	tools := &worker.Tools{
		Model: e.Model, Weather: &weather.Teller{Source: &openmeteo.Client{HTTP: b.client("openmeteo"), BaseURL: b.Config.OpenMeteoBaseURL, GeocodingBaseURL: b.Config.OpenMeteoGeocodingBaseURL}},
		Products: products, Now: b.Now, Log: b.Log,
		Spent: figures.Spend, Guard: e.Guard, Site: e.Site,
	}
	if products == nil {
		e.Remote = map[string]queue.Queue{ragTool: b.queueOf(workerRag)}
	}
	var err error
	e.Tools, err = tool.NewRegistry(tools.All()...)
	return e, err
}

// marketOrHome is the market of an id; "" is the one that answers for what names none.
func (b *Base) marketOrHome(ctx context.Context, id string) (*market.Market, error) {
	return b.Markets().Get(ctx, cmp.Or(id, b.Config.DefaultMarket))
}

// productIndex opens the index of products at the first question: by the model in this process where its
// weights are, else by the model provider's embeddings, which the home market pays.
func (b *Base) productIndex(spent func(context.Context, *market.Market, int64)) func(context.Context) (worker.Products, error) {
	var mu sync.Mutex
	var index *product.Index
	return func(ctx context.Context) (worker.Products, error) {
		mu.Lock()
		defer mu.Unlock()
		if index != nil {
			return index, nil
		}
		embedder, err := b.embedder(ctx)
		if err != nil {
			return nil, err
		}
		chunks, err := product.Catalogue(product.Files)
		if err != nil {
			return nil, err
		}
		opened, used, err := product.Open(ctx, chunks, product.Vectors, embedder)
		if cost := llm.Cost(embedder.Space().Model, used); cost > 0 {
			if m, err := b.marketOrHome(ctx, ""); err == nil {
				spent(context.WithoutCancel(ctx), m, cost)
			}
		}
		if err != nil {
			return nil, err
		}
		index = opened
		return index, nil
	}
}

func (b *Base) embedder(ctx context.Context) (llm.Embedder, error) {
	if _, err := os.Stat(filepath.Join(b.Config.MiniLMDir, minilm.WeightsFile)); err == nil && b.Config.EmbeddingModel == "" {
		return minilm.Load(b.Config.MiniLMDir)
	}
	if b.Config.EmbeddingModel == "" {
		return nil, fmt.Errorf("no weights in MINILM_DIR (%s), and OPENAI_EMBEDDING_MODEL is not set", b.Config.MiniLMDir)
	}
	key, err := b.secrets.get(ctx, "OPENAI_API_KEY")
	if err != nil {
		return nil, err
	}
	c, err := openai.New(openai.Config{
		BaseURL: b.Config.OpenAIBaseURL, Key: key, Model: b.Config.OpenAIModel, HTTP: b.client("openai"), Retry: llm.Retry{Timeout: attempt, Now: b.Now},
	})
	if err != nil {
		return nil, err
	}
	return c.Embedder(b.Config.EmbeddingModel, 0)
}

// PlanAPI takes questions in several parts, answers them, and shows how.
func PlanAPI(b *Base) (trigger.Handler, error) {
	e, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	plans := &api.Plans{Who: b.who(), Engine: e, Anonymous: b.anonymous(), Patience: b.Config.Patience, Now: b.Now}
	plans.Routes().Register(mux)
	mux.Handle("/trace/", web.Trace(plan.IsConversation))
	return b.http(mux), nil
}

// Publisher publishes the events of plans as they are stored: questions for the router, requests for the workers, all
// others for whoever wants to know.
func Publisher(b *Base) (trigger.Handler, error) {
	commands, events, requests, answers := b.queueOf(userCommands), b.bus(conversationEvents), b.bus(toolInvocationRequests), b.bus(botOutputEvents)
	return b.stream(func(ctx context.Context, r trigger.Record) error {
		ref, e, ok, err := plan.ReadItem(dynamo.Item(r.New))
		if !ok || err != nil {
			return err
		}
		detail, err := json.Marshal(e.Wire())
		if err != nil {
			return err
		}
		published := bus.Event{Source: "merve.plan", Type: string(e.Type), Detail: detail, At: e.At}
		switch e.Type {
		case plan.UserQueryReceived:
			return commands.Send(ctx, queue.Message{Group: ref.Conversation, Dedupe: e.Correlation, Body: string(detail)})
		case plan.ToolInvocationRequested:
			return requests.Put(ctx, published)
		case plan.FinalAnswerSynthesized:
			if err := answers.Put(ctx, botResponse(e)); err != nil {
				return err
			}
		}
		return events.Put(ctx, published)
	}), nil
}

// botResponse is an answer as pages take it that show what the bot says.
func botResponse(e plan.Event) bus.Event {
	var f plan.Final
	_ = json.Unmarshal(e.Payload, &f) // it was checked when it was stored
	detail, _ := json.Marshal(map[string]any{
		"conversationId": f.ConversationID, "correlationId": e.Correlation, "message": f.FinalAnswer, "timestamp": e.At.UnixMilli(),
	})
	return bus.Event{Source: "merve.plan", Type: "BotResponseMessage", Detail: detail, At: e.At}
}

// planWorker takes what a queue brings about plans: an event as the bus envelopes it, or as it was sent at once,
// or a timer. What it does follows from the plan, so router, orchestrator, aggregator and workers are the same
// program with a queue each.
func (b *Base) planWorker(name string, products func(context.Context) (worker.Products, error)) (trigger.Handler, error) {
	e, err := b.planEngine(products)
	if err != nil {
		return nil, err
	}
	return trigger.Queue(queue.Retry(b.queueOf(name), b.Log, func(ctx context.Context, m trigger.Message) error {
		body := []byte(m.Body)
		if enveloped, err := bus.Read(m.Body); err == nil {
			body = enveloped.Detail
			if enveloped.Trace != "" { // the bus gives a queue no attributes
				ctx = telemetry.WithTrace(ctx, enveloped.Trace)
			}
		}
		return e.Deliver(ctx, body)
	}), trigger.Log(b.Log)), nil
}

// Router makes plans of questions that nobody has planned.
func Router(b *Base) (trigger.Handler, error) { return b.planWorker(userCommands, nil) }

// Orchestrator goes on with plans to which something has happened.
func Orchestrator(b *Base) (trigger.Handler, error) { return b.planWorker(planEvents, nil) }

// Aggregator writes answers that nobody has written.
func Aggregator(b *Base) (trigger.Handler, error) { return b.planWorker("plan-answers", nil) }

// WorkerMath, WorkerWeather and WorkerGeneralChat run steps that nobody has run.
func WorkerMath(b *Base) (trigger.Handler, error) { return b.planWorker("worker-math", nil) }

// WorkerWeather is described with [WorkerMath].
func WorkerWeather(b *Base) (trigger.Handler, error) { return b.planWorker("worker-weather", nil) }

// WorkerGeneralChat is described with [WorkerMath].
func WorkerGeneralChat(b *Base) (trigger.Handler, error) {
	return b.planWorker("worker-general-chat", nil)
}

// WorkerRag runs the steps that look for products. Only its program has the model for that.
func WorkerRag(b *Base) (trigger.Handler, error) {
	return b.planWorker(workerRag, b.productIndex(b.figures().Spend))
}

// Collection looks after plans whose process has died, and closes those that got too old.
func Collection(b *Base) (trigger.Handler, error) {
	e, err := b.planEngine(nil)
	if err != nil {
		return nil, err
	}
	return trigger.Schedule(func(ctx context.Context, _ time.Time) error {
		w, err := e.Sweep(ctx, dynamo.Budget{Workers: 8})
		b.Log.InfoContext(ctx, "plans", "looked", w.Looked, "failed", w.Failed, "lagMs", w.Lag.Milliseconds(), "left", w.Left)
		return err
	}, trigger.Log(b.Log)), nil
}
