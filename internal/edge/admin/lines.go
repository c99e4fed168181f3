package admin

import (
	"bufio"
	"bytes"
	"context"
	"net/http"

	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/record/listing"
)

// lined is one line of an import: something with an id, and perhaps a market. It is checked once its market is known.
type lined[T any] struct {
	id, market string
	in         func(market string) (T, error)
}

// importLines stores things of a market, one JSON object a line, if every line is right.
func importLines[T any](
	in tenants, w http.ResponseWriter, r *http.Request,
	read func(line []byte) (lined[T], error), store func(ctx context.Context, market string, all []T) error,
) error {
	if err := in.inMarket(r); err != nil {
		return err
	}
	body, err := readTable(w, r)
	if err != nil {
		return err
	}
	if mediaOf(r) != "application/x-ndjson" {
		return errTable
	}
	market := r.PathValue("market")
	all, wrong := readLines(body, market, read)
	if len(wrong) > 0 {
		return writeRows(w, r, wrong)
	}
	if err := store(r.Context(), market, all); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"rows": len(all)})
}

// readLines reads one thing from each line, and says what is wrong with the lines that hold none.
func readLines[T any](body []byte, market string, read func(line []byte) (lined[T], error)) (all []T, wrong []listing.RowError) {
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, maxImport+1)
	seen := map[string]bool{}
	for row := 1; lines.Scan() && len(wrong) < usualLimit; row++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var v T
		l, err := read(lines.Bytes())
		switch {
		case err != nil:
		case l.market != "" && l.market != market:
			err = fault.Field("marketId", "want %s, or nothing", market)
		case seen[l.id]:
			err = fault.Field("id", "a row above has it already")
		default:
			seen[l.id] = true
			v, err = l.in(market)
		}
		if err != nil {
			detail, field := fault.Public(err)
			wrong = append(wrong, listing.RowError{Row: row, Field: field, Detail: detail})
			continue
		}
		all = append(all, v)
	}
	return all, wrong
}
