// Command chat talks to a running Merve from the terminal: what you type is a message,
// what comes back is the answer. Ctrl-D ends it.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"merve/infra/local/port"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

func run() error {
	url := port.Merve(os.Getenv)
	client := &http.Client{Timeout: time.Minute}
	session := rand.Text()
	lines := bufio.NewScanner(os.Stdin)
	fmt.Print("> ")
	for lines.Scan() {
		if err := say(client, url, session, lines.Text()); err != nil {
			return err
		}
		fmt.Print("> ")
	}
	return lines.Err()
}

func say(client *http.Client, url, session, text string) error {
	body, err := json.Marshal(map[string]string{"message": text, "sessionId": session, "clientMessageId": rand.Text()})
	if err != nil {
		return err
	}
	resp, err := client.Post(url+"/chat/message", "application/json", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("is `make run` running? %w", err)
	}
	defer resp.Body.Close()
	var answer struct{ Reply, Detail, State string }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	switch {
	case answer.Detail != "":
		fmt.Println(answer.Detail)
	case resp.StatusCode == http.StatusAccepted:
		fmt.Println("(the answer takes longer; ask again in a moment)")
	default:
		fmt.Println(answer.Reply)
	}
	return nil
}
