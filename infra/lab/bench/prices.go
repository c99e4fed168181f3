package main

import "time"

// Price is what a million of something costs.
type Price struct {
	Name   string  `json:"name"`
	Of     string  `json:"of"`
	Dollar float64 `json:"dollars"`
	Source string  `json:"source"` // where it was read
	AsOf   string  `json:"asOf"`   // of the source, if it gives a date
}

// pricesAsOf is when the table was put together. The prices are those of us-east-1, on
// demand, without a free tier, as others report them: AWS's own pages, which have the last
// word, were not read for it.
const pricesAsOf = "2026-11-21"

const (
	calculator = "github.com/aws/agent-toolkit-for-aws, amazon-dynamodb/scripts/calculate_costs.py"
	unverified = "from memory, not verified"
)

var (
	writeUnits   = Price{"DynamoDB writes", "a million write request units", 0.625, calculator, "2026"}
	readUnits    = Price{"DynamoDB reads", "a million read request units", 0.125, calculator, "2026"}
	streamReads  = Price{"DynamoDB streams", "a million reads by a Lambda trigger", 0, unverified, ""}
	httpRequests = Price{"HTTP API", "a million requests of up to 512 KB", 1.00, "amnic.com", "no date"}
	invocations  = Price{"Lambda requests", "a million invocations", 0.20, "cloudchipr.com/blog/aws-lambda-pricing", "2025"}
	gbSeconds    = Price{"Lambda duration", "a million GB-seconds on arm64", 13.3334, "cloudchipr.com/blog/aws-lambda-pricing", "2025"}
	fifoRequests = Price{"SQS FIFO", "a million requests of up to 64 KB", 0.50, "cloudburn.io/blog/amazon-sqs-pricing", "2026-03"}
	stdRequests  = Price{"SQS standard", "a million requests of up to 64 KB", 0.40, "cloudburn.io/blog/amazon-sqs-pricing", "2026-03"}
	frames       = Price{"WebSocket messages", "a million messages of up to 32 KB, in or out", 1.00, "amnic.com; that 32 KB are metered: aws.amazon.com/api-gateway/pricing", "no date"}
	connections  = Price{"WebSocket connections", "a million minutes", 0.25, "amnic.com", "no date"}
	ticks        = Price{"EventBridge Scheduler", "a million ticks", 1.00, "cloudburn.io; another guide (wring.co) says it is free", "2026-03"}
)

// prices is the table, for printing.
var prices = []Price{writeUnits, readUnits, streamReads, httpRequests, invocations, gbSeconds, fifoRequests, stdRequests, frames, connections, ticks}

// What cannot be measured here is assumed.
const (
	memoryMB    = 256  // of every function, for the price of its duration
	fullCoreMB  = 1769 // a function has one core at this size: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
	storeAnswer = 5 * time.Millisecond
	modelAnswer = 2 * time.Second

	queueRequests = 3 // a message is sent, received and deleted, each by itself
)

// Used is what a piece of work takes of AWS.
type Used struct {
	Writes      float64       `json:"writeUnits"`
	Reads       float64       `json:"readUnits"`
	HTTP        int           `json:"httpRequests"`
	Invocations int           `json:"invocations"`      // of functions
	Messages    int           `json:"messages"`         // through the queue
	Standard    int           `json:"standardMessages"` // through a queue without order
	Frames      int           `json:"frames"`           // by sockets, in and out
	Connected   time.Duration `json:"connectedNs"`      // of sockets
	Ticks       int           `json:"ticks"`            // of a schedule
	Requests    int           `json:"storeRequests"`    // one after the other
	Work        time.Duration `json:"workNs"`           // on a whole core of this machine
	Quiet       time.Duration `json:"quietNs"`          // waited for a burst to end
	Asked       int           `json:"questions"`        // to the model
}

// Dollars is what a million of something costs.
type Dollars struct {
	Store   float64 `json:"dynamodb"` // DynamoDB
	Whole   float64 `json:"whole"`    // and all else, but for waiting
	Waiting float64 `json:"waiting"`  // a function that waits, for the model or for a burst to end
}

// dollarsOf prices a million times u.
func dollarsOf(u Used) Dollars {
	store := u.Writes*writeUnits.Dollar + u.Reads*readUnits.Dollar
	working := u.Work*fullCoreMB/memoryMB + time.Duration(u.Requests)*storeAnswer
	if u.Invocations == 0 {
		working = 0 // a library call: who makes it pays for the function
	}
	return Dollars{
		Store: store,
		Whole: store + float64(u.HTTP)*httpRequests.Dollar + float64(u.Invocations)*invocations.Dollar +
			float64(u.Messages*queueRequests)*fifoRequests.Dollar + float64(u.Ticks)*ticks.Dollar +
			float64(u.Standard*queueRequests)*stdRequests.Dollar + float64(u.Frames)*frames.Dollar + u.Connected.Minutes()*connections.Dollar + duration(working),
		Waiting: duration(time.Duration(u.Asked)*modelAnswer + u.Quiet),
	}
}

// duration prices a million times d of a function.
func duration(d time.Duration) float64 {
	return d.Seconds() * memoryMB / 1024 * gbSeconds.Dollar
}
