package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addBuses names each bus after the stack: consumers outside join their rules to it by that name.
func (s *stack) addBuses(bs []wiring.Bus) {
	for _, b := range bs {
		s.buses[b.Name] = awsevents.NewEventBus(s.cdk, id(b.Name, "Bus"), &awsevents.EventBusProps{
			EventBusName: jsii.String(*s.cdk.StackName() + "-" + b.Name),
		})
	}
}

// addRules puts events on queues. EventBridge tries for a day; events that it cannot put on a queue by
// then go to that queue's own dead letter.
func (s *stack) addRules(rs []wiring.Rule, qs []wiring.Queue) {
	dead := map[string]string{}
	for _, q := range qs {
		dead[q.Name] = q.DeadLetter
	}
	for _, r := range rs {
		awsevents.NewRule(s.cdk, id(r.Name, "Rule"), &awsevents.RuleProps{
			EventBus:     s.buses[r.Bus],
			EventPattern: eventPattern(r),
			Targets: &[]awsevents.IRuleTarget{awseventstargets.NewSqsQueue(s.queues[r.Queue], &awseventstargets.SqsQueueProps{
				DeadLetterQueue: s.queues[dead[r.Queue]],
			})},
		})
	}
}

// eventPattern writes the events that a rule accepts in EventBridge's language.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html
func eventPattern(r wiring.Rule) *awsevents.EventPattern {
	pattern := &awsevents.EventPattern{DetailType: jsii.Strings(r.Types...)}
	if len(r.Tools) > 0 {
		pattern.Detail = &map[string]any{"payload": map[string]any{"toolName": r.Tools}}
	}
	return pattern
}
