package runner

import (
	"encoding/json"
	"net/http"
	"runtime"
)

// Memory is the memory use of this process. Comparing several readings shows leaks.
type Memory struct {
	Heap       uint64 `json:"heapBytes"` // in use after a collection
	Goroutines int    `json:"goroutines"`
}

// memory runs the garbage collector and reports the rest.
func memory(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(Memory{stats.HeapAlloc, runtime.NumGoroutine()}) // a reader that has gone cannot be told
}
