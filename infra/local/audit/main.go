// Command audit fetches the audit of a marketplace request from a running Merve, verifies its chain of hashes and
// prints it as JSON. It fails at the first record that was changed, is missing or stands elsewhere.
//
// REQUEST is the id of the request, ADMIN_TOKEN the token of the admin API.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"merve/infra/local/port"
	"merve/internal/cloud/audit"
)

func main() {
	client := &http.Client{Timeout: time.Minute}
	if err := run(client, port.Merve(os.Getenv), os.Getenv("REQUEST"), os.Getenv("ADMIN_TOKEN"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// run verifies and prints the audit of a request.
func run(client *http.Client, base, request, token string, out io.Writer) error {
	if request == "" {
		return fmt.Errorf("say which request: make audit REQUEST=rq_…")
	}
	req, err := http.NewRequest(http.MethodGet, base+"/marketplace/requests/"+url.PathEscape(request)+"/audit", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("nothing answers at %s: %w", base, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", resp.StatusCode, raw)
	}
	var trail audit.Trail
	if err := json.Unmarshal(raw, &trail); err != nil {
		return err
	}
	if err := trail.Verify(); err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(trail)
}
