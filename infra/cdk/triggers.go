package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awseventstargets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdaeventsources"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addTriggers joins a function to what starts it.
func (s *stack) addTriggers(f wiring.Function) {
	if len(f.Routes) > 0 {
		s.addRoutes(f)
	}
	if f.Sockets {
		s.addConnections(f.Name)
	}
	if f.Queue != nil {
		s.addQueueTrigger(f.Name, f.Queue)
	}
	if f.Stream != nil {
		s.addStreamTrigger(f.Name, f.Stream)
	}
	if f.Schedule != nil {
		s.addSchedule(f.Name, f.Schedule)
	}
}

func (s *stack) addQueueTrigger(function string, t *wiring.QueueTrigger) {
	props := &awslambdaeventsources.SqsEventSourceProps{
		BatchSize:               jsii.Number(t.Batch),
		ReportBatchItemFailures: jsii.Bool(t.PartialFailures),
	}
	if t.Parallel > 0 {
		props.MaxConcurrency = jsii.Number(t.Parallel)
	}
	s.functions[function].AddEventSource(awslambdaeventsources.NewSqsEventSource(s.queues[t.Queue], props))
}

// addStreamTrigger reads the stream from its beginning, so that nothing written
// before the mapping is ready is missed. How often a change is tried has no bound but its age.
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
func (s *stack) addStreamTrigger(function string, t *wiring.StreamTrigger) {
	s.functions[function].AddEventSource(awslambdaeventsources.NewDynamoEventSource(s.tables[t.Table],
		&awslambdaeventsources.DynamoEventSourceProps{
			StartingPosition:        awslambda.StartingPosition_TRIM_HORIZON,
			Filters:                 patterns(t.Filters),
			BatchSize:               jsii.Number(t.Batch),
			ParallelizationFactor:   jsii.Number(t.Parallel),
			ReportBatchItemFailures: jsii.Bool(t.PartialFailures),
			BisectBatchOnError:      jsii.Bool(t.Bisect),
			MaxRecordAge:            seconds(t.MaxAge),
			OnFailure:               awslambdaeventsources.NewSqsDlq(s.queues[t.OnFailure]),
		}))
}

// patterns says filters in the language of event source mappings.
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
func patterns(fs []wiring.Filter) *[]*map[string]any {
	var all []*map[string]any
	for _, f := range fs {
		pattern := map[string]any{"eventName": f.Events}
		item := map[string]any{}
		if f.SKPrefix != "" {
			item["Keys"] = map[string]any{"sk": map[string]any{"S": []any{map[string]any{"prefix": f.SKPrefix}}}}
		}
		if f.Has != "" {
			item["NewImage"] = map[string]any{f.Has: map[string]any{"S": []any{map[string]any{"exists": true}}}}
		}
		if len(item) > 0 {
			pattern["dynamodb"] = item
		}
		all = append(all, awslambda.FilterCriteria_Filter(&pattern))
	}
	return &all
}

// addSchedule starts a function by a rule. A tick can be lost at two places, and both
// give it to the same queue: the rule could not start the function, or the function
// failed (it is started asynchronously, so the rule does not see that).
func (s *stack) addSchedule(function string, t *wiring.Schedule) {
	f, failed := s.functions[function], s.queues[t.OnFailure]
	f.ConfigureAsyncInvoke(&awslambda.EventInvokeConfigOptions{
		RetryAttempts: jsii.Number(t.Retries),
		MaxEventAge:   seconds(t.MaxAge),
		OnFailure:     awslambdadestinations.NewSqsDestination(failed),
	})
	awsevents.NewRule(s.cdk, id(function, "Schedule"), &awsevents.RuleProps{
		Schedule: awsevents.Schedule_Rate(seconds(t.Every)),
		Targets: &[]awsevents.IRuleTarget{awseventstargets.NewLambdaFunction(f, &awseventstargets.LambdaFunctionProps{
			RetryAttempts:   jsii.Number(t.Retries),
			MaxEventAge:     seconds(t.MaxAge),
			DeadLetterQueue: failed,
		})},
	})
}
