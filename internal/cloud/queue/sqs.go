package queue

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"merve/internal/base/fault"
)

// SQS sends to one queue of Amazon SQS. Safe for concurrent use.
type SQS struct {
	client *sqs.Client
	url    string
	fifo   bool
}

// NewSQS returns the queue at url, whose name ends in .fifo if it keeps order. The
// endpoint is cfg's, which the SDK reads from its own environment variables. It makes no
// request.
func NewSQS(cfg aws.Config, url string) *SQS {
	return &SQS{client: sqs.NewFromConfig(cfg), url: url, fifo: strings.HasSuffix(url, ".fifo")}
}

// Send puts m on the queue. When it returns nil the message is stored, now or by an
// earlier Send with the same Dedupe; after any other error but a wrong field, sending the
// same again is right.
func (q *SQS) Send(ctx context.Context, m Message) error {
	m, err := Prepare(ctx, m, q.fifo)
	if err != nil {
		return err
	}
	_, err = q.client.SendMessage(ctx, q.input(m))
	return fault.Wrap(err, fault.Unavailable, "the queue is away, try again")
}

// Answers reports why nothing can be put on the queue. It only asks for the queue's attributes, so it may miss a
// reason.
func (q *SQS) Answers(ctx context.Context) error {
	_, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &q.url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	return fault.Wrap(err, fault.Unavailable, "the queue is away")
}

// Hide lets a message that was received come again after a time, if it fails; receipt names the
// delivery.
func (q *SQS) Hide(ctx context.Context, receipt string, after time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &q.url, ReceiptHandle: &receipt, VisibilityTimeout: int32(after / time.Second),
	})
	return fault.Wrap(err, fault.Unavailable, "the queue is away")
}

func (q *SQS) input(m Message) *sqs.SendMessageInput {
	in := &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &m.Body}
	if q.fifo {
		in.MessageGroupId, in.MessageDeduplicationId = &m.Group, &m.Dedupe
	} else {
		in.DelaySeconds = int32(m.Delay / time.Second)
	}
	if len(m.Attributes) > 0 {
		in.MessageAttributes = make(map[string]types.MessageAttributeValue, len(m.Attributes))
	}
	for name, v := range m.Attributes {
		in.MessageAttributes[name] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: &v}
	}
	return in
}
