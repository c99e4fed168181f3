package request

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
)

// Jobs are the pictures of requests.
func (s *Store) Jobs() quote.Jobs { return quote.Jobs{Table: s.Table, Now: s.Now} }

// queues are the writes of a new job. The event has it read at once; the index due does so if that fails. They fail
// with [ErrChanged] where the job is there.
func (s *Store) queues(r Request, j quote.Job, by, trace string) []dynamo.Write {
	return []dynamo.Write{
		s.Jobs().Queued(j).Else(ErrChanged),
		s.happened(r, Event{ID: j.ID, Type: PictureEvent, Outreach: j.Outreach, Picture: j.ID, By: by, Trace: trace}),
	}
}

// maxPictureURL is the longest address of a picture.
const maxPictureURL = 2000

// PictureInput has a picture read.
type PictureInput struct {
	Request string `json:"request_id"`
	Message string `json:"message_id"`
	URL     string `json:"media_url"`
	Type    string `json:"media_type"`
}

func (in PictureInput) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	at, err := url.Parse(in.URL)
	switch {
	case in.Message == "" || len(in.Message) > maxMessageID:
		return fault.Field("message_id", "want 1 to %d characters", maxMessageID)
	case err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Hostname() == "" || at.User != nil || len(in.URL) > maxPictureURL:
		return fault.Field("media_url", "want an https: address without credentials, of at most %d characters", maxPictureURL)
	case !ocr.Reads(in.Type):
		return fault.Field("media_type", "want image/jpeg, image/png, image/gif or application/pdf")
	}
	return nil
}

// JobInput names a job.
type JobInput struct {
	Job string `json:"job_id"`
}

func (in JobInput) check(*call) error {
	if in.Job == "" {
		return fault.Field("job_id", "missing")
	}
	return nil
}

// JobMade tells which job reads a picture.
type JobMade struct {
	Job    string          `json:"job_id"`
	Status quote.JobStatus `json:"status"`
}

// createJob has a picture read. The same picture of the same message is read once.
func (x replies) createJob(ctx context.Context, c *call) (outcome, error) {
	in, err := read[PictureInput](c)
	if err != nil {
		return outcome{}, err
	}
	ids := []string{in.Message}
	for _, o := range c.view.Outreach {
		onThread, _ := o.MessageIDs(in.Message)
		ids = append(ids, onThread)
	}
	reply, _, err := x.b.Store.Book().Replied(ctx, c.view.ID, ids...)
	if err != nil {
		return outcome{}, err
	}
	j := x.b.Store.Jobs().New(c.view.ID, in.Message, in.URL, in.Type, reply.Outreach)
	for _, before := range c.view.Jobs {
		if before.ID == j.ID {
			return outcome{output: JobMade{j.ID, before.Status}}, nil
		}
	}
	if len(c.view.Jobs) >= quote.MaxJobs {
		return outcome{}, fault.New(fault.Conflict, "the request has %d pictures already", quote.MaxJobs)
	}
	return outcome{output: JobMade{j.ID, j.Status}, writes: x.b.Store.queues(c.view.Request, j, c.Meta.Actor, c.trace)}, nil
}

func (x replies) getJob(_ context.Context, c *call) (outcome, error) {
	in, err := read[JobInput](c)
	if err != nil {
		return outcome{}, err
	}
	for _, j := range c.view.Jobs {
		if j.ID == in.Job {
			return outcome{output: j.Result()}, nil
		}
	}
	return outcome{}, actor.ErrNotFound
}

// pictures are the jobs for what a vendor has sent with a message, which are read as quotations.
func (x replies) pictures(v View, o vendor.Outreach, m thread.Message, trace string) []dynamo.Write {
	const most = 3
	var ws []dynamo.Write
	for _, p := range m.Media[:min(len(m.Media), most)] {
		j := x.b.Store.Jobs().New(v.ID, m.ID, p.URL, p.Type, o.ID)
		if len(v.Jobs)+len(ws)/2 < quote.MaxJobs && ocr.Reads(p.Type) && strings.HasPrefix(p.URL, "http") {
			ws = append(ws, x.b.Store.queues(v.Request, j, System, trace)...)
		}
	}
	return ws
}

// Take implements what [quote.Pictures] needs. A picture is its vendor's answer where the message has no words of its own.
func (b *Broker) Take(ctx context.Context, j quote.Job, found ocr.Result, commit func(ws ...dynamo.Write) error) error {
	v, err := b.Store.View(ctx, j.Request)
	if err != nil {
		return err
	}
	err = commit(b.replies().quoted(v, j, found)...)
	if errors.Is(err, vendor.ErrRecorded) { // the message has been recorded as an answer: its words stand
		err = commit()
	}
	if errors.Is(err, ErrChanged) {
		return nil
	}
	return err
}

// quoted are the writes that take a picture as its vendor's answer. Only figures that need no check make a price.
func (x replies) quoted(v View, j quote.Job, found ocr.Result) []dynamo.Write {
	o := v.outreach(j.Outreach)
	if o == nil || !o.Awaited() {
		return nil
	}
	q := quote.OfPicture(j, found, x.b.Store.now())
	if q.PriceMinor == nil && o.Quote != nil {
		return nil // an answer that stands is not taken back by a picture that nobody has checked
	}
	return x.b.Store.replies(v, *o, q, System, "", false)
}
