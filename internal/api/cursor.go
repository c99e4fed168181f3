package api

import (
	"merve/internal/fault"
	"merve/internal/pattern"
	"merve/internal/thread"
)

// lineCursor is what cursors of a thread's messages look like.
var lineCursor = pattern.New(`^(0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,3})$`)

// checkCursor refuses what no listing of messages has given out.
func checkCursor(name, cursor string) error {
	latest := name == "before" && cursor == thread.Latest
	if cursor != "" && !latest && !lineCursor.MatchString(cursor) {
		return fault.Field(name, "want a cursor as an earlier answer gave it")
	}
	return nil
}
