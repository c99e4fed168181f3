package plan

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Shelf keeps results that are too large for an event.
type Shelf interface {
	// Keep writes what is the same whenever it is written under that key.
	Keep(ctx context.Context, key, contentType string, data []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	Forget(ctx context.Context, prefix string) error
}

// shelved stands in an event for a result that is on the shelf. It is no longer than a result may be where it is repeated.
type shelved struct {
	Stored struct {
		Key   string `json:"key"`
		Bytes int    `json:"bytes"`
	} `json:"stored"`
	Excerpt json.RawMessage `json:"excerpt"` // how it begins: a string
}

// storedField is the field that marks a result on the shelf. A tool's own object with that field is put into another.
const storedField = "stored"

// shelfOf is where the results of a generation are. It hashes the conversation's name, so that keys do not reveal it.
func shelfOf(r Ref) string {
	sum := sha256.Sum256([]byte(r.Conversation))
	return fmt.Sprintf("results/%s/%d/", hex.EncodeToString(sum[:16]), r.Generation)
}

// shelfKey is the key of a step's result, which has its content's hash: workers that ran a step at once overwrite nothing.
func shelfKey(r Ref, step int, result []byte) string {
	sum := sha256.Sum256(result)
	return fmt.Sprintf("%s%s/%02d-%s", shelfOf(r), r.Correlation, step, hex.EncodeToString(sum[:12]))
}

// fit returns a result in a size that fits an event. A larger result goes to the shelf, or is cut if the shelf is
// away.
func (s *Store) fit(ctx context.Context, r Ref, step int, result json.RawMessage) (json.RawMessage, error) {
	if len(result) <= maxResult || s.Results == nil {
		return bounded(result, maxResult), nil
	}
	var to shelved
	to.Stored.Key, to.Stored.Bytes = shelfKey(r, step, result), len(result)
	to.Excerpt = begins(plain(result), maxExcerpt-512)
	if err := s.Results.Keep(ctx, to.Stored.Key, "application/json", result); err != nil {
		return bounded(result, maxResult), fmt.Errorf("result of %d bytes: %w", len(result), err)
	}
	return json.Marshal(to)
}

// onShelf is what stands for a result on the shelf, if result is that.
func onShelf(result json.RawMessage) (shelved, bool) {
	if !bytes.Contains(result[:min(len(result), 16)], []byte(storedField)) { // most are not, and a log is full of them
		return shelved{}, false
	}
	var to shelved
	err := json.Unmarshal(result, &to)
	return to, err == nil && to.Stored.Key != ""
}

// whole is a result, from the shelf where it is there.
func (s *Store) whole(ctx context.Context, r Ref, result json.RawMessage) (json.RawMessage, error) {
	to, ok := onShelf(result)
	if !ok || s.Results == nil || !strings.HasPrefix(to.Stored.Key, shelfOf(r)) {
		return result, nil
	}
	return s.Results.Read(ctx, to.Stored.Key)
}

// pack makes what a tool gave a result of the log: a string or an object.
func pack(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal("the result cannot be written down")
	}
	var object map[string]json.RawMessage
	isObject := len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &object) == nil
	if raw[0] != '"' && (!isObject || object[storedField] != nil) {
		raw, _ = json.Marshal(map[string]json.RawMessage{"value": raw})
	}
	return raw
}

// told is a result as later events repeat it, in at most size bytes.
func told(result json.RawMessage, size int) json.RawMessage {
	if to, ok := onShelf(result); ok {
		result = to.Excerpt
	}
	return bounded(result, size)
}

// bounded is raw if it is no larger than size, else a string of its beginning that says so.
func bounded(raw json.RawMessage, size int) json.RawMessage {
	if len(raw) <= size {
		return raw
	}
	return begins(plain(raw), size)
}

// begins is how a text begins, as JSON of at most size bytes that says that it is cut.
func begins(text string, size int) json.RawMessage {
	const cut = " … (cut off)"
	for keep := size; ; keep = keep * 3 / 4 { // quoting may make it longer
		out, _ := json.Marshal(clip(text, keep) + cut)
		if len(out) <= size {
			return out
		}
	}
}

// clip is the beginning of text in at most size bytes, without half a character.
func clip(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "")
}

// plain is a result as text.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
