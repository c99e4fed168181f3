package api

import (
	"net/http"
	"net/url"
	"strconv"

	"merve/internal/fault"
	"merve/internal/pattern"
	"merve/internal/thread"
)

// queryOf reads parameters of a request's query by name. One that comes twice is refused:
// whoever stands between the client and us may have read the other one. So is a query
// that cannot be read as a whole.
func queryOf(r *http.Request, names ...string) (map[string]string, error) {
	all, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the query cannot be read") // the cause quotes it
	}
	found := make(map[string]string, len(names))
	for _, name := range names {
		if len(all[name]) > 1 {
			return nil, fault.Field(name, "want it once")
		}
		found[name] = all.Get(name)
	}
	return found, nil
}

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

// checkMarketID refuses what is too long for any market's id.
func checkMarketID(id string) error {
	if len(id) > 40 {
		return fault.Field("marketId", "at most 40 bytes")
	}
	return nil
}

const maxLimit = 100

// limitOf reads ?limit=, usual when absent.
func limitOf(r *http.Request, usual int) (int, error) {
	q, err := queryOf(r, "limit")
	if err != nil {
		return 0, err
	}
	if q["limit"] == "" && !r.URL.Query().Has("limit") {
		return usual, nil
	}
	n, err := strconv.Atoi(q["limit"])
	if err != nil || n < 1 || n > maxLimit {
		return 0, fault.Field("limit", "want 1 to %d", maxLimit)
	}
	return n, nil
}
