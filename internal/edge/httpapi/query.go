package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"merve/internal/base/fault"
)

// Query reads the named parameters of a request's query; those that are missing are "". A
// parameter that comes twice is refused, because a proxy between the client and us may have read
// the other one. So is a query that does not parse as a whole.
func Query(r *http.Request, names ...string) (map[string]string, error) {
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

// CheckMarketID refuses an id that is longer than any market's.
func CheckMarketID(id string) error {
	if len(id) > 40 {
		return fault.Field("marketId", "at most 40 bytes")
	}
	return nil
}

// maxLimit is the most items that a list holds.
const maxLimit = 100

// Limit reads ?limit=, the number of items that a list is to hold; usual when it is absent.
func Limit(r *http.Request, usual int) (int, error) {
	q, err := Query(r, "limit")
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
