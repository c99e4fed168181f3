package quote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/price"
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
	Outreach   string    `dynamodbav:"outreach,omitempty"` // whose vendor sent it; "" is not a quotation
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
	MaxJobs   = 20 // of one request
	jobTries  = 3
	jobFor    = 6 * time.Minute // longer than the function that reads may take
	jobKind   = "requestpicture"
	JobPrefix = "~ocr#" // among what one query reads with the request
	jobID     = "oj_"
)

// ofRequests is how the partition of a request begins.
const ofRequests = "request#"

func jobKey(request, job string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: JobPrefix + job}
}

// File is where the picture of a job is kept in the bucket, once it was tried to read it.
func (j Job) File() string { return FilesOf(j.Request) + ident.Digest(j.ID) }

func FilesOf(request string) string { return "ocr/" + ident.Digest(request) + "/" }

// Jobs keeps what is to be read, and what was read.
type Jobs struct {
	Table dynamo.Table // records
	Now   func() time.Time
}

func (s Jobs) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// New is the job for a picture, the same each time.
func (s Jobs) New(request, message, address, kind, outreach string) Job {
	now := s.now()
	return Job{
		ID: ident.New(jobID, "ocr", request, ident.Digest(message)+address), Request: request, Message: message, URL: address, Type: kind, Outreach: outreach,
		Status: JobPending, CreatedAt: now, UpdatedAt: now,
	}
}

func (j Job) due(at time.Time) Job {
	j.DueShard, j.DueAt = "", time.Time{}
	if !at.IsZero() {
		j.DueShard, j.DueAt = dynamo.DueShard(jobKind, j.Request), at
	}
	return j
}

// Queued is the write of a new job. The index due has it read if nothing else does.
func (s Jobs) Queued(j Job) dynamo.Write {
	return s.Table.Put(jobKey(j.Request, j.ID), j.due(j.CreatedAt.Add(time.Minute))).IfAbsent()
}

// errMoved says that somebody else is at the job.
var errMoved = errors.New("the picture is being read by somebody else")

// moves is the write that changes a job, on condition that it is as it was read.
func (s Jobs) moves(before, after Job, due time.Time) dynamo.Write {
	after.UpdatedAt = s.now()
	return s.Table.Put(jobKey(after.Request, after.ID), after.due(due)).
		If("#status = :status AND tries = :tries", dynamo.V{":status": before.Status, ":tries": before.Tries}).Else(errMoved)
}

// Get reads a job of a request; [actor.ErrNotFound]. 1 request.
func (s Jobs) Get(ctx context.Context, request, id string) (Job, error) {
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

// Pictures reads the pictures of requests. Safe for concurrent use.
type Pictures struct {
	Jobs     Jobs
	Requests interface {
		// Take takes what was read in a picture as its vendor's answer, if it is one. It commits with the writes of that, which
		// may be none, and is no error where the job was committed by somebody else.
		Take(ctx context.Context, j Job, found ocr.Result, commit func(ws ...dynamo.Write) error) error
	}
	Files interface { // the bucket
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
func (p *Pictures) Sweep(ctx context.Context, b dynamo.Budget) (queued int, err error) {
	s := p.Jobs
	_, err = s.Table.EachDue(ctx, jobKind, s.now(), b, func(k dynamo.Key) (bool, error) {
		err := p.Queue(ctx, strings.TrimPrefix(k.PK, ofRequests), strings.TrimPrefix(k.SK, JobPrefix))
		if err == nil {
			queued++
		}
		return true, err
	})
	return queued, err
}

// Run reads a picture. It may be called any number of times, and by several at once. An error is to be tried again.
func (p *Pictures) Run(ctx context.Context, request, id string) error {
	s := p.Jobs
	j, err := s.Get(ctx, request, id)
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
	if errors.Is(err, errMoved) {
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
	}, p.Jobs.moves(j, after, time.Time{})))
}

// complete keeps what was read. Figures that need no check fill the price of the vendor's quote, once; the desk is told
// to look at the others.
func (p *Pictures) complete(ctx context.Context, j Job, found ocr.Result) error {
	raw, err := json.Marshal(found.Extracted)
	if err != nil {
		return fmt.Errorf("picture %s: %w", j.ID, err)
	}
	after := j
	after.Status, after.Extracted, after.Confidence, after.NeedsCheck = JobCompleted, string(raw), found.Confidence, found.NeedsCheck
	after.Error = "" // of a try before this one
	done := p.Jobs.moves(j, after, time.Time{})
	return settled(p.Requests.Take(ctx, after, found, func(ws ...dynamo.Write) error {
		return p.keep(ctx, after, append([]dynamo.Write{done}, ws...))
	}))
}

// keep commits what was read, with an alert where a person has to look at it.
func (p *Pictures) keep(ctx context.Context, j Job, ws []dynamo.Write) error {
	if len(j.NeedsCheck) == 0 {
		return p.Jobs.Table.DB().Commit(ctx, ws...)
	}
	return p.Alerts.Raise(ctx, alert.Alert{
		Check: "picture", Severity: alert.Warning, Subject: j.Request, Of: j.ID,
		Message: "Compare what was read with the picture: " + strings.Join(j.NeedsCheck, ", "),
	}, ws...)
}

// OfPicture is the quote that a picture is, as a vendor's answer of its own.
func OfPicture(j Job, found ocr.Result, now time.Time) Quote {
	q := Quote{Text: trimmed(found.Text, maxAnswer), Message: j.Message, At: now, Until: now.Add(quoteFor)}
	q.Status = price.Unclear
	if total, _ := minor(found.Total, found.Currency); total != nil && *total > 0 && len(found.NeedsCheck) == 0 && found.Currency != "" {
		q.names(price.Price{Status: price.Clear, Minor: *total, Currency: found.Currency})
	}
	return q
}
