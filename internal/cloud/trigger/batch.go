package trigger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// batchAnswer names the items of a batch that failed. AWS takes an answer that it does
// not understand, or an empty name in it, for the failure of the whole batch.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
type batchAnswer struct {
	BatchItemFailures []itemFailure `json:"batchItemFailures"`
}

type itemFailure struct {
	ItemIdentifier *string `json:"itemIdentifier"`
}

// encodeFailures answers that the items with these ids failed, and no others.
func encodeFailures(ids []string) ([]byte, error) {
	answer := batchAnswer{BatchItemFailures: make([]itemFailure, len(ids))}
	for i := range ids {
		answer.BatchItemFailures[i].ItemIdentifier = &ids[i]
	}
	return json.Marshal(answer)
}

// Failures reads the answer of a [Queue] or [Stream] handler as AWS does: the ids of the
// items that failed. An error means that all of them did.
func Failures(answer []byte) ([]string, error) {
	if answer = bytes.TrimSpace(answer); len(answer) == 0 {
		return nil, nil
	}
	var a batchAnswer
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("trigger: batch answer: %w", err)
	}
	var ids []string
	for _, f := range a.BatchItemFailures {
		if f.ItemIdentifier == nil || *f.ItemIdentifier == "" {
			return nil, errors.New("trigger: batch answer: itemIdentifier is missing or empty")
		}
		ids = append(ids, *f.ItemIdentifier)
	}
	return ids, nil
}
