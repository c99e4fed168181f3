package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/price"
	"merve/internal/spine/thread"
)

// JobStatus is how far the reading of a picture has come.
type JobStatus string

const (
	JobPending    JobStatus = "pending"
	JobProcessing JobStatus = "processing"
	JobCompleted  JobStatus = "completed"
	JobFailed     JobStatus = "failed"
)

// ended reports whether nothing more becomes of a job.
func (s JobStatus) ended() bool { return s == JobCompleted || s == JobFailed }

// Job is a picture of a request that is to be read, and what was read in it.
type Job struct {
	ID         string    `dynamodbav:"id"`
	Request    string    `dynamodbav:"request"`
	Message    string    `dynamodbav:"message"`
	URL        string    `dynamodbav:"url"`
	Type       string    `dynamodbav:"type"`               // as it was claimed
	Outreach   string    `dynamodbav:"outreach,omitempty"` // whose vendor sent it; "" is nobody's quotation
	Status     JobStatus `dynamodbav:"status"`
	Tries      int       `dynamodbav:"tries"`
	Extracted  string    `dynamodbav:"extracted,omitempty"` // JSON of [ocr.Extracted]
	Confidence float64   `dynamodbav:"confidence,omitempty"`
	NeedsCheck []string  `dynamodbav:"needsCheck,omitempty"`
	Error      string    `dynamodbav:"error,omitempty"` // of the last try
	CreatedAt  time.Time `dynamodbav:"createdAt"`
	UpdatedAt  time.Time `dynamodbav:"updatedAt"`
	DueShard   string    `dynamodbav:"dueShard,omitempty"` // in index due until it ends
	DueAt      time.Time `dynamodbav:"dueAt"`
}

// Limits of pictures.
const (
	MaxJobs  = 20 // of one request
	jobTries = 3
	jobFor   = 6 * time.Minute // longer than the function that reads may take
	jobKind  = "requestpicture"
	jobSK    = "~ocr#" // among what one query reads with the request
	jobID    = "oj_"
	maxURL   = 2000
)

func jobKey(request, job string) dynamo.Key {
	return dynamo.Key{PK: partition(request), SK: jobSK + job}
}

// File is where the picture of a job is kept in the bucket, once it was tried to read it.
func (j Job) File() string { return filesOf(j.Request) + hashed(j.ID) }

func filesOf(request string) string { return "ocr/" + hashed(request) + "/" }

// newJob is the job for a picture, the same each time.
func (s *Store) newJob(request, message, address, kind, outreach string) Job {
	now := s.now()
	return Job{
		ID: ident.New(jobID, "ocr", request, hashed(message)+address), Request: request, Message: message, URL: address, Type: kind, Outreach: outreach,
		Status: JobPending, CreatedAt: now, UpdatedAt: now,
	}
}

// queues are the writes of a new job. The event has it read at once; the index due does so if that fails. They fail
// with [ErrChanged] where the job is there.
func (s *Store) queues(r Request, j Job, by, trace string) []dynamo.Write {
	return []dynamo.Write{
		s.Table.Put(jobKey(j.Request, j.ID), j.due(j.CreatedAt.Add(time.Minute))).IfAbsent().Else(ErrChanged),
		s.happened(r, Event{ID: j.ID, Type: PictureEvent, Outreach: j.Outreach, Picture: j.ID, By: by, Trace: trace}),
	}
}

func (j Job) due(at time.Time) Job {
	j.DueShard, j.DueAt = "", time.Time{}
	if !at.IsZero() {
		j.DueShard, j.DueAt = dynamo.DueShard(jobKind, j.Request), at
	}
	return j
}

// moves is the write that changes a job, on condition that it is as it was read.
func (s *Store) moves(before, after Job, due time.Time) dynamo.Write {
	after.UpdatedAt = s.now()
	return s.Table.Put(jobKey(after.Request, after.ID), after.due(due)).
		If("#status = :status AND tries = :tries", dynamo.V{":status": before.Status, ":tries": before.Tries}).Else(ErrChanged)
}

// Job reads a job of a request; [actor.ErrNotFound]. 1 request.
func (s *Store) Job(ctx context.Context, request, id string) (Job, error) {
	it, err := s.Table.Get(ctx, jobKey(request, id))
	if err != nil {
		return Job{}, fmt.Errorf("picture %s: %w", id, err)
	}
	if it == nil {
		return Job{}, actor.ErrNotFound
	}
	var j Job
	return j, it.Decode(&j)
}

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
	case err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Hostname() == "" || at.User != nil || len(in.URL) > maxURL:
		return fault.Field("media_url", "want an https: address without credentials, of at most %d characters", maxURL)
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
	Job    string    `json:"job_id"`
	Status JobStatus `json:"status"`
}

// JobResult is what was read in a picture.
type JobResult struct {
	Job        string          `json:"job_id"`
	Status     JobStatus       `json:"status"`
	Extracted  json.RawMessage `json:"extracted,omitempty"`
	Confidence *float64        `json:"confidence,omitempty"`
	NeedsCheck []string        `json:"needs_check,omitempty"`
	Error      string          `json:"error,omitempty"`
}

// Result is what callers are told of the job.
func (j Job) Result() JobResult {
	r := JobResult{Job: j.ID, Status: j.Status, NeedsCheck: j.NeedsCheck}
	switch j.Status {
	case JobCompleted:
		r.Extracted, r.Confidence = json.RawMessage(j.Extracted), &j.Confidence
	case JobFailed:
		r.Error = j.Error
	}
	return r
}

// createJob has a picture read. The same picture of the same message is read once.
func (b *Broker) createJob(ctx context.Context, c *call) (outcome, error) {
	in, err := read[PictureInput](c)
	if err != nil {
		return outcome{}, err
	}
	ids := []string{in.Message}
	for _, o := range c.view.Outreach {
		onThread, _ := o.ids(in.Message)
		ids = append(ids, onThread)
	}
	reply, _, err := b.Store.Replied(ctx, c.view.ID, ids...)
	if err != nil {
		return outcome{}, err
	}
	j := b.Store.newJob(c.view.ID, in.Message, in.URL, in.Type, reply.Outreach)
	for _, before := range c.view.Jobs {
		if before.ID == j.ID {
			return outcome{output: JobMade{j.ID, before.Status}}, nil
		}
	}
	if len(c.view.Jobs) >= MaxJobs {
		return outcome{}, fault.New(fault.Conflict, "the request has %d pictures already", MaxJobs)
	}
	return outcome{output: JobMade{j.ID, j.Status}, writes: b.Store.queues(c.view.Request, j, c.Meta.Actor, c.trace)}, nil
}

func (b *Broker) getJob(_ context.Context, c *call) (outcome, error) {
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
func (b *Broker) pictures(v View, o Outreach, m thread.Message, trace string) []dynamo.Write {
	const most = 3
	var ws []dynamo.Write
	for _, p := range m.Media[:min(len(m.Media), most)] {
		j := b.Store.newJob(v.ID, m.ID, p.URL, p.Type, o.ID)
		if len(v.Jobs)+len(ws)/2 < MaxJobs && ocr.Reads(p.Type) && strings.HasPrefix(p.URL, "http") {
			ws = append(ws, b.Store.queues(v.Request, j, System, trace)...)
		}
	}
	return ws
}

// Pictures reads the pictures of requests. Safe for concurrent use.
type Pictures struct {
	Broker *Broker
	Files  interface { // the bucket
		Keep(ctx context.Context, key, contentType string, data []byte) error
		Read(ctx context.Context, key string) ([]byte, error)
	}
	Fetch  func(ctx context.Context, address string) ([]byte, error)
	Reader ocr.Reader // nil is off
	Alerts interface {
		Raise(ctx context.Context, a alert.Alert, ws ...dynamo.Write) error
	}
	Queue func(ctx context.Context, request, job string) error
}

// Sweep queues pictures again that nobody is reading, and returns how many. 16 requests, 1 for each.
func (p *Pictures) Sweep(ctx context.Context, limit int) (queued int, err error) {
	s := p.Broker.Store
	_, err = s.Table.EachDue(ctx, jobKind, s.now(), dynamo.Budget{Count: limit}, func(k dynamo.Key) (bool, error) {
		err := p.Queue(ctx, strings.TrimPrefix(k.PK, partition("")), strings.TrimPrefix(k.SK, jobSK))
		if err == nil {
			queued++
		}
		return true, err
	})
	return queued, err
}

// Run reads a picture. It may be called any number of times, and by several at once. An error is to be tried again.
func (p *Pictures) Run(ctx context.Context, request, id string) error {
	s := p.Broker.Store
	j, err := s.Job(ctx, request, id)
	switch {
	case errors.Is(err, actor.ErrNotFound): // erased
		return nil
	case err != nil:
		return err
	case j.Status.ended(), j.Status == JobProcessing && s.now().Before(j.DueAt):
		return nil
	case j.Tries >= jobTries:
		return p.fail(ctx, j, j.exhausted())
	}
	mine := j
	mine.Status, mine.Tries = JobProcessing, j.Tries+1
	if err := s.Table.DB().Commit(ctx, s.moves(j, mine, s.now().Add(jobFor))); err != nil {
		return settled(err)
	}
	found, err := p.read(ctx, mine)
	switch {
	case err == nil:
		return p.complete(ctx, mine, found)
	case !fault.Retryable(err):
		why, _ := fault.Public(err)
		return p.fail(ctx, mine, why)
	}
	again := mine
	again.Status = JobPending
	again.Error, _ = fault.Public(err)
	return errors.Join(err, settled(s.Table.DB().Commit(ctx, s.moves(mine, again, s.now().Add(time.Minute)))))
}

// exhausted says why a job is not tried again. A reader that died has left no reason.
func (j Job) exhausted() string {
	why := fmt.Sprintf("the picture could not be read in %d tries", jobTries)
	if j.Error != "" {
		why += ": " + j.Error
	}
	return why
}

// settled is no error where somebody else was faster.
func settled(err error) error {
	if errors.Is(err, ErrChanged) {
		return nil
	}
	return err
}

// read reads the picture of a job, which is kept in the bucket first.
func (p *Pictures) read(ctx context.Context, j Job) (ocr.Result, error) {
	if p.Reader == nil {
		return ocr.Result{}, fault.New(fault.Invalid, "pictures are not read here: no engine is configured")
	}
	data, err := p.Files.Read(ctx, j.File())
	if fault.Is(err, fault.NotFound) {
		if data, err = p.Fetch(ctx, j.URL); err == nil {
			err = p.Files.Keep(ctx, j.File(), "application/octet-stream", data)
		}
	}
	if err != nil {
		return ocr.Result{}, err
	}
	return ocr.Extract(ctx, p.Reader, data, j.Type)
}

func (p *Pictures) fail(ctx context.Context, j Job, why string) error {
	after := j
	after.Status, after.Error = JobFailed, why
	return settled(p.Alerts.Raise(ctx, alert.Alert{
		Check: "picture", Severity: alert.Warning, Subject: j.Request, Of: j.ID, Message: "A picture of the request was not read: " + why,
	}, p.Broker.Store.moves(j, after, time.Time{})))
}

// complete keeps what was read. Figures that need no check fill the price of the vendor's quote, once; the desk is told
// to look at the others.
func (p *Pictures) complete(ctx context.Context, j Job, found ocr.Result) error {
	b := p.Broker
	raw, err := json.Marshal(found.Extracted)
	if err != nil {
		return fmt.Errorf("picture %s: %w", j.ID, err)
	}
	after := j
	after.Status, after.Extracted, after.Confidence, after.NeedsCheck = JobCompleted, string(raw), found.Confidence, found.NeedsCheck
	after.Error = "" // of a try before this one
	done := b.Store.moves(j, after, time.Time{})
	v, err := b.Store.View(ctx, j.Request)
	if err != nil {
		return err
	}
	err = p.keep(ctx, after, append([]dynamo.Write{done}, b.quoted(v, j, found)...))
	if errors.Is(err, errRecorded) { // the message has been recorded as an answer: its words stand
		err = p.keep(ctx, after, []dynamo.Write{done})
	}
	return settled(err)
}

// keep commits what was read, with an alert where a person has to look at it.
func (p *Pictures) keep(ctx context.Context, j Job, ws []dynamo.Write) error {
	if len(j.NeedsCheck) == 0 {
		return p.Broker.Store.Table.DB().Commit(ctx, ws...)
	}
	return p.Alerts.Raise(ctx, alert.Alert{
		Check: "picture", Severity: alert.Warning, Subject: j.Request, Of: j.ID,
		Message: "Compare what was read with the picture: " + strings.Join(j.NeedsCheck, ", "),
	}, ws...)
}

// quoted are the writes that take a picture as its vendor's answer, where the message has no words of its own. Only
// figures that need no check make a price.
func (b *Broker) quoted(v View, j Job, found ocr.Result) []dynamo.Write {
	o := v.outreach(j.Outreach)
	if o == nil || !o.awaited() {
		return nil
	}
	now := b.Store.now()
	q := Quote{Text: clip(found.Text, 4*MaxText), Message: j.Message, At: now, Until: now.Add(quoteFor)}
	q.Status = price.Unclear
	if total, _ := minor(found.Total, found.Currency); total != nil && *total > 0 && len(found.NeedsCheck) == 0 && found.Currency != "" {
		q.names(price.Price{Status: price.Clear, Minor: *total, Currency: found.Currency})
	}
	if q.PriceMinor == nil && o.Quote != nil {
		return nil // an answer that stands is not taken back by a picture that nobody has checked
	}
	return b.Store.replies(v, *o, q, System, "", false)
}
