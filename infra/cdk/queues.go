package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addQueues makes the dead letters first: the others name them.
func (s *stack) addQueues(qs []wiring.Queue) {
	for _, q := range qs {
		if q.DeadLetter == "" {
			s.queues[q.Name] = s.newQueue(q, nil)
		}
	}
	for _, q := range qs {
		if q.DeadLetter != "" {
			s.queues[q.Name] = s.newQueue(q, &awssqs.DeadLetterQueue{
				Queue:           s.queues[q.DeadLetter],
				MaxReceiveCount: jsii.Number(q.Receives),
			})
		}
	}
}

func (s *stack) newQueue(q wiring.Queue, dead *awssqs.DeadLetterQueue) awssqs.Queue {
	props := &awssqs.QueueProps{
		Encryption:      awssqs.QueueEncryption_SQS_MANAGED,
		EnforceSSL:      jsii.Bool(s.Emulator == ""),
		RetentionPeriod: seconds(q.Keep),
		DeadLetterQueue: dead,
		RemovalPolicy:   s.removal(),
	}
	if q.Delay > 0 {
		props.DeliveryDelay = seconds(q.Delay)
	}
	if q.Visibility > 0 {
		props.VisibilityTimeout = seconds(q.Visibility)
	}
	if q.FIFO {
		// Limits and deduplication by group, not by queue: threads do not wait for each other.
		// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
		props.Fifo = jsii.Bool(true)
		props.DeduplicationScope = awssqs.DeduplicationScope_MESSAGE_GROUP
		props.FifoThroughputLimit = awssqs.FifoThroughputLimit_PER_MESSAGE_GROUP_ID
	}
	return awssqs.NewQueue(s.cdk, id(q.Name, "Queue"), props)
}
