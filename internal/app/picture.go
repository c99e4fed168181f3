package app

import (
	"context"

	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
)

// pictures is the name of the queue of pictures that are to be read.
const pictures = "ocr"

// OCR reads the pictures of marketplace requests. split is for Textract, which takes PDFs of one page; where it is nil,
// poppler draws the pages.
func OCR(split Splitter) func(*Base) (trigger.Handler, error) {
	return func(b *Base) (trigger.Handler, error) {
		p := b.darkroom(split)
		return trigger.Queue(queue.Retry(b.queueOf(pictures), b.Log, func(ctx context.Context, m trigger.Message) error {
			return p.Work(ctx, m.Body)
		}), trigger.Log(b.Log)), nil
	}
}
