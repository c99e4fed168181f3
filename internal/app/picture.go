package app

import (
	"context"
	"encoding/json"

	"merve/internal/base/fault"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
)

// pictures is the name of the queue of pictures that are to be read.
const pictures = "ocr"

// pictureWork is a message of the queue.
type pictureWork struct {
	Request string `json:"request"`
	Job     string `json:"job"`
}

// OCR reads the pictures of marketplace requests. split is for Textract, which takes PDFs of one page; where it is nil,
// poppler draws the pages.
func OCR(split Splitter) func(*Base) (trigger.Handler, error) {
	return func(b *Base) (trigger.Handler, error) {
		p := b.darkroom(split)
		return trigger.Queue(queue.Retry(b.queueOf(pictures), b.Log, func(ctx context.Context, m trigger.Message) error {
			var w pictureWork
			if err := json.Unmarshal([]byte(m.Body), &w); err != nil || w.Request == "" || w.Job == "" {
				return fault.New(fault.Invalid, "a message of the queue %s without a picture", pictures)
			}
			return p.Run(ctx, w.Request, w.Job)
		}), trigger.Log(b.Log)), nil
	}
}
