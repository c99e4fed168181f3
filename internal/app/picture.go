package app

import (
	"context"
	"encoding/json"

	"merve/internal/base/fault"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/ocr"
	"merve/internal/provider/textract"
	"merve/internal/tenant/media"
)

// pictures is the name of the queue of pictures that are to be read.
const pictures = "ocr"

// pictureWork is a message of the queue.
type pictureWork struct {
	Request string `json:"request"`
	Job     string `json:"job"`
}

// Splitter makes each page of a PDF a PDF of its own.
type Splitter = func(ctx context.Context, pdf []byte) ([]ocr.Sheet, error)

// OCR reads the pictures of marketplace requests. split is for Textract, which takes PDFs of one page; where it is nil,
// poppler draws the pages.
func OCR(split Splitter) func(*Base) (trigger.Handler, error) {
	return func(b *Base) (trigger.Handler, error) { return b.readPictures(b.darkroom(split)), nil }
}

func (b *Base) readPictures(p *quote.Pictures) trigger.Handler {
	return trigger.Queue(queue.Retry(b.queueOf(pictures), b.Log, func(ctx context.Context, m trigger.Message) error {
		var w pictureWork
		if err := json.Unmarshal([]byte(m.Body), &w); err != nil || w.Request == "" || w.Job == "" {
			return fault.New(fault.Invalid, "a message of the queue %s without a picture", pictures)
		}
		return p.Run(ctx, w.Request, w.Job)
	}), trigger.Log(b.Log))
}

// darkroom reads the pictures of requests.
func (b *Base) darkroom(split Splitter) *quote.Pictures {
	p := &quote.Pictures{
		Jobs: b.Requests().Jobs(), Requests: b.broker(nil), Files: b.files(), Fetch: b.Photos().Fetch, Alerts: b.Alerts(), Queue: b.queuePicture,
	}
	switch b.Config.OCREngine {
	case "tesseract":
		p.Reader = ocr.Tesseract{}
	case "textract":
		p.Reader = textract.New(b.AWS)
		if split != nil {
			p.Reader = textract.PDFReader{Reader: textract.New(b.AWS), Split: split}
		}
	}
	return p
}

func (b *Base) files() media.Files { return media.NewFiles(b.mediaBucket(), b.Now) }

// queuePicture has a picture read.
func (b *Base) queuePicture(ctx context.Context, request, job string) error {
	body, err := json.Marshal(pictureWork{request, job})
	if err != nil {
		return err
	}
	return b.queueOf(pictures).Send(ctx, queue.Message{Body: string(body)})
}
