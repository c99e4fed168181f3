package web

import (
	"fmt"
	"sync"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// minifiers minify styles and scripts. One for HTML would make each function that has it a fifth of
// a megabyte bigger, to send a kilobyte less. They are made when the first file is requested.
var minifiers = sync.OnceValue(func() *minify.M {
	m := minify.New()
	m.Add("text/css", &css.Minifier{})
	m.Add("text/javascript", &js.Minifier{})
	return m
})

// minified returns the body of a file without what only its writers need.
func minified(name string, body []byte) ([]byte, error) {
	kind := contentType(name)
	if _, _, minifier := minifiers().Match(kind); minifier == nil {
		return body, nil
	}
	small, err := minifiers().Bytes(kind, body)
	if err != nil {
		return nil, fmt.Errorf("minify %s: %w", name, err)
	}
	return small, nil
}
