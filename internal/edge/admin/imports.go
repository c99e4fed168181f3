package admin

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/edge/httpapi"
	"merve/internal/record/listing"
)

// maxImport is the largest file taken, in bytes. Lambda takes 6 MB, and the gateway hands the file over
// in base64.
const maxImport = 4 << 20

// errTable refuses a file of another media type.
var errTable = httpapi.WrongMedia("text/csv, application/x-ndjson", "send text/csv or application/x-ndjson, not compressed")

// readTable reads a file of rows. It reads nothing if the header says that the file is too large.
func readTable(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxImport {
		return nil, fault.New(fault.TooLarge, "the file is larger than %d bytes", maxImport)
	}
	body, err := httpapi.ReadBody(w, r, maxImport)
	coding := r.Header.Get("Content-Encoding")
	switch {
	case err != nil:
		return nil, err
	case coding != "" && !strings.EqualFold(coding, "identity"):
		return nil, errTable
	case !utf8.Valid(body):
		return nil, fault.New(fault.Invalid, "the file must be UTF-8")
	}
	return body, nil
}

// mediaOf returns the media type of a body. JSON Lines have several names.
func mediaOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	if media == "application/jsonl" || media == "application/x-jsonlines" {
		return "application/x-ndjson"
	}
	return media
}

// writeRows answers that nothing was stored because of the wrong rows.
func writeRows(w http.ResponseWriter, r *http.Request, wrong []listing.RowError) error {
	p := fault.ProblemOf(fault.New(fault.Invalid, "%s; nothing was stored", rowsWrong(len(wrong))), telemetry.TraceID(r.Context()))
	body := struct {
		fault.Problem
		Errors []listing.RowError `json:"errors"`
	}{p, wrong}
	return httpapi.WriteBody(w, p.Status, "application/problem+json", body)
}

func rowsWrong(n int) string {
	if n == 1 {
		return "1 row is wrong"
	}
	return fmt.Sprintf("%d rows are wrong", n)
}
