package runner

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
)

// maxKept is how many bytes of log lines a runner keeps for requests that ask for those of a call session.
const maxKept = 4 << 20

// keptLines are the latest lines of the log.
type keptLines struct {
	mu    sync.Mutex
	lines [][]byte
	size  int
}

// Write implements [io.Writer]. Each call is a line.
func (k *keptLines) Write(line []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines, k.size = append(k.lines, bytes.Clone(line)), k.size+len(line)
	for k.size > maxKept {
		k.size -= len(k.lines[0])
		k.lines = k.lines[1:]
	}
	return len(line), nil
}

// ServeHTTP gives the lines of one call session, oldest first: GET /dev/logs?call=.
func (k *keptLines) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.URL.Query().Get("call")
	w.Header().Set("Content-Type", "application/x-ndjson")
	k.mu.Lock()
	lines := k.lines // which are never written again
	k.mu.Unlock()
	for _, line := range lines {
		var of struct {
			CallSessionID string `json:"callSessionId"`
		}
		if json.Unmarshal(line, &of) == nil && of.CallSessionID != "" && of.CallSessionID == call {
			_, _ = w.Write(line) // a client that has gone needs no line
		}
	}
}
