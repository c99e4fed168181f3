package agent

import "merve/internal/words/language"

// AuditedCall records what was asked for, what the policy said, and the result. All packages that store calls share
// this form.
type AuditedCall struct {
	Tool    string `dynamodbav:"tool" json:"tool"`
	Args    string `dynamodbav:"args" json:"args"`
	Key     string `dynamodbav:"key,omitempty" json:"key,omitempty"` // idempotency key
	Verdict string `dynamodbav:"verdict" json:"verdict"`
	Status  Status `dynamodbav:"status" json:"status"`
	MS      int64  `dynamodbav:"ms" json:"ms"`
}

const maxAuditArgs = 1024 // characters

// audit notes the calls of a round.
func (r *run) audit(calls []call, results []Result) {
	for i, c := range calls {
		args := string(c.args)
		if args == "" {
			args = string(c.Args)
		}
		r.Audit = append(r.Audit, AuditedCall{
			Tool: language.Brief(c.Name, maxName), Args: language.Brief(args, maxAuditArgs), Key: c.key,
			Verdict: string(c.verdict), Status: results[i].Status, MS: results[i].took.Milliseconds(),
		})
	}
}
