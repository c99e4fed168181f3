package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// cloud has the queues of a deployment in Amazon SQS.
type cloud struct {
	client *sqs.Client
	stack  string
}

// address finds a queue by its name in the wiring. CloudFormation names it after the stack, the
// words of that name and a unique suffix.
func (c cloud) address(ctx context.Context, name string) (*string, error) {
	prefix := c.stack + "-"
	out, err := c.client.ListQueues(ctx, &sqs.ListQueuesInput{QueueNamePrefix: &prefix})
	if err != nil {
		return nil, fmt.Errorf("list queues: %w", err)
	}
	want := strings.ReplaceAll(name, "-", "") + "queue"
	for _, address := range out.QueueUrls {
		real := address[strings.LastIndex(address, "/")+1:]
		if strings.HasPrefix(strings.ToLower(strings.TrimPrefix(real, prefix)), want) {
			return &address, nil
		}
	}
	return nil, fmt.Errorf("stack %s has no queue %s", c.stack, name)
}

func (c cloud) arn(ctx context.Context, name string) (*string, error) {
	address, err := c.address(ctx, name)
	if err != nil {
		return nil, err
	}
	out, err := c.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: address, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return nil, fmt.Errorf("queue %s: %w", name, err)
	}
	return aws.String(out.Attributes[string(types.QueueAttributeNameQueueArn)]), nil
}

const (
	most   = 100 // messages shown; all of them are sent back
	batch  = 10  // SQS gives no more at once
	hidden = 60  // seconds for which a message that was shown is not shown again
)

// read shows messages of the queue and lets each come again afterwards. A queue in order shows
// the first of each group.
func (c cloud) read(ctx context.Context, name string) (found []letter, err error) {
	address, err := c.address(ctx, name)
	if err != nil {
		return nil, err
	}
	var shown []types.ChangeMessageVisibilityBatchRequestEntry
	for len(found) < most {
		out, err := c.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: address, MaxNumberOfMessages: batch, VisibilityTimeout: hidden, WaitTimeSeconds: 1,
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{
				types.MessageSystemAttributeNameApproximateReceiveCount, types.MessageSystemAttributeNameSentTimestamp,
			},
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if len(out.Messages) == 0 {
			break
		}
		for _, m := range out.Messages {
			found = append(found, letterOf(m))
			shown = append(shown, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(len(shown))), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0,
			})
		}
	}
	return found, c.show(ctx, address, shown)
}

func letterOf(m types.Message) letter {
	receives, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
	sent, _ := strconv.ParseInt(m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)], 10, 64)
	return letter{Body: aws.ToString(m.Body), Receives: receives, SentAt: time.UnixMilli(sent)}
}

// show lets messages come again at once: hidden ones are not sent back.
func (c cloud) show(ctx context.Context, address *string, shown []types.ChangeMessageVisibilityBatchRequestEntry) error {
	for len(shown) > 0 {
		n := min(batch, len(shown))
		in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: address, Entries: shown[:n]}
		if _, err := c.client.ChangeMessageVisibilityBatch(ctx, in); err != nil {
			return fmt.Errorf("show the messages again: %w", err)
		}
		shown = shown[n:]
	}
	return nil
}

func (c cloud) redrive(ctx context.Context, name, to string) (string, error) {
	source, err := c.arn(ctx, name)
	if err != nil {
		return "", err
	}
	in := &sqs.StartMessageMoveTaskInput{SourceArn: source}
	if to != "" {
		if in.DestinationArn, err = c.arn(ctx, to); err != nil {
			return "", err
		}
	}
	out, err := c.client.StartMessageMoveTask(ctx, in)
	if err != nil {
		return "", fmt.Errorf("send back what is in %s: %w", name, err)
	}
	return "SQS sends them again, task " + aws.ToString(out.TaskHandle), nil
}
