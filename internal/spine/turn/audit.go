package turn

import (
	"context"
	"fmt"
	"time"

	"merve/internal/agent"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/person"
)

// Round is the record of the tool calls of a turn's rounds, written with its reply.
type Round struct {
	Turn   int                 `dynamodbav:"turn" json:"turn"`
	Actor  string              `dynamodbav:"actor" json:"actor"`
	Market string              `dynamodbav:"market" json:"marketId"`
	Policy int                 `dynamodbav:"policy" json:"policyVersion"` // market version
	Trace  string              `dynamodbav:"trace,omitempty" json:"traceId"`
	Calls  []agent.AuditedCall `dynamodbav:"calls" json:"calls"`
	At     time.Time           `dynamodbav:"at" json:"at"`
	TTL    int64               `dynamodbav:"ttl" json:"-"`
}

// Audit keeps the records of tool calls, by thread (table records):
//
//	audit#{thread}   {turn}
type Audit struct{ Records dynamo.Table }

const auditFor = 400 * 24 * time.Hour

func auditKey(threadID string, turn int) dynamo.Key {
	return dynamo.Key{PK: "audit#" + threadID, SK: fmt.Sprintf("%08d", turn)}
}

// put returns what joins the commit of a turn that has called tools.
func (a Audit) put(s *scene, calls []agent.AuditedCall) []dynamo.Write {
	if len(calls) == 0 {
		return nil
	}
	r := Round{
		Turn: s.thread.Number(), Actor: s.thread.Owner, Market: s.market.ID, Policy: s.market.Version,
		Trace: s.tc.TraceID, Calls: calls, At: s.tc.Now, TTL: s.tc.Now.Add(auditFor).Unix(),
	}
	return []dynamo.Write{a.Records.Put(auditKey(s.thread.ID, r.Turn), r)}
}

// Rounds lists the tool calls of a thread's turns, latest first. One request.
func (a Audit) Rounds(ctx context.Context, threadID string, limit int, after string) ([]Round, string, error) {
	page, err := a.Records.Query(ctx, dynamo.Query{
		Where: "pk = :pk", Values: dynamo.V{":pk": auditKey(threadID, 0).PK}, Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("audit of thread %s: %w", threadID, err)
	}
	rounds, err := dynamo.Decode[Round](page.Items)
	if err != nil {
		return nil, "", err
	}
	return rounds, page.Next, nil
}

// Erase deletes the records of a thread's tool calls. 2 requests for each hundred.
func (a Audit) Erase(ctx context.Context, threadID string) error {
	for {
		page, err := a.Records.Query(ctx, dynamo.Query{Where: "pk = :pk", Values: dynamo.V{":pk": auditKey(threadID, 0).PK}, Limit: 100})
		if err != nil {
			return fmt.Errorf("erase audit of thread %s: %w", threadID, err)
		}
		if len(page.Items) == 0 {
			return nil
		}
		var ws []dynamo.Write
		for _, it := range page.Items {
			ws = append(ws, a.Records.Delete(it.Key()))
		}
		if err := a.Records.DB().Commit(ctx, ws...); err != nil {
			return fmt.Errorf("erase audit of thread %s: %w", threadID, err)
		}
	}
}

// Held is what the audit holds about a person: which tools ran for them, with which arguments.
type Held struct{ Audit Audit }

// Holds names the records in an export.
func (Held) Holds() string { return "toolCalls" }

// Export returns the records of all threads of a person.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	return person.Exported(person.OfThreads(ctx, s, func(ctx context.Context, id string) ([]Round, error) {
		return person.Pages(func(after string) ([]Round, string, error) { return h.Audit.Rounds(ctx, id, 100, after) })
	}))
}

// Erase deletes the records of all threads of a person.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	return nil, s.EachThread(ctx, h.Audit.Erase)
}
