package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addAlarms makes one alarm for each thing that the wiring wants watched, so that the
// alarm's name says which of them it is.
func (s *stack) addAlarms(as []wiring.Alarm) {
	tell := s.alarmAction()
	for _, a := range as {
		for _, w := range s.watched(a) {
			props := &awscloudwatch.AlarmProps{
				AlarmDescription:   jsii.String(a.Doc),
				Metric:             w.metric,
				Threshold:          jsii.Number(a.Above * w.scale),
				ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
				EvaluationPeriods:  jsii.Number(1),
				TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
			}
			if a.Of == wiring.Heartbeats { // silence is what it tells of
				props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_OR_EQUAL_TO_THRESHOLD
				props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
			}
			alarm := awscloudwatch.NewAlarm(s.cdk, id(a.Name+"-"+w.what, "Alarm"), props)
			if tell != nil {
				alarm.AddAlarmAction(tell)
				alarm.AddOkAction(tell)
			}
		}
	}
}

// alarmAction tells whoever wants to know; nil when nobody does.
func (s *stack) alarmAction() awscloudwatch.IAlarmAction {
	if s.AlarmEmail == "" {
		return nil
	}
	topic := awssns.NewTopic(s.cdk, jsii.String("AlarmTopic"), &awssns.TopicProps{EnforceSSL: jsii.Bool(true)})
	// A topic with a policy has not the one by which all of the account may publish.
	// https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"),
		Resources:  &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.cdk.Account()}},
	}))
	topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.AlarmEmail, nil))
	return awscloudwatchactions.NewSnsAction(topic)
}

// watch is one metric of an alarm: what it is about, and how many of its units make
// one of the wiring's.
type watch struct {
	what   string
	metric awscloudwatch.IMetric
	scale  float64
}

func (s *stack) watched(a wiring.Alarm) []watch {
	over := func(statistic string) *awscloudwatch.MetricOptions {
		return &awscloudwatch.MetricOptions{Period: seconds(a.Over), Statistic: &statistic}
	}
	var all []watch
	add := func(what string, m awscloudwatch.IMetric, scale float64) { all = append(all, watch{what, m, scale}) }
	switch a.Of {
	case wiring.FailedMessages:
		for _, q := range wiring.Queues() {
			if q.DeadLetter == "" {
				add(q.Name, s.queues[q.Name].MetricApproximateNumberOfMessagesVisible(over("Maximum")), 1)
			}
		}
	case wiring.FunctionErrors:
		for _, f := range wiring.Functions() {
			add(f.Name, s.functions[f.Name].MetricErrors(over("Sum")), 1)
		}
	case wiring.ServerErrors:
		add("api", s.api.MetricServerError(over("Sum")), 1)
	case wiring.Throttles:
		for _, f := range wiring.Functions() {
			add(f.Name, s.functions[f.Name].MetricThrottles(over("Sum")), 1)
		}
	case wiring.StreamAge:
		for _, f := range wiring.Functions() {
			if f.Stream != nil {
				add(f.Name, s.functions[f.Name].Metric(jsii.String("IteratorAge"), over("Maximum")), 1000)
			}
		}
	case wiring.OldestMessage:
		add(a.Queue, s.queues[a.Queue].MetricApproximateAgeOfOldestMessage(over("Maximum")), 1)
	case wiring.FailedItems:
		for _, f := range wiring.Functions() {
			if f.Queue != nil || f.Stream != nil {
				add(f.Name, s.counted(a, "Sum", map[string]*string{"function": s.functions[f.Name].FunctionName()}), 1)
			}
		}
	case wiring.ProviderCalls:
		for _, p := range wiring.Providers() {
			add(p, s.counted(a, "Sum", map[string]*string{"provider": jsii.String(p), "outcome": jsii.String(a.Outcome)}), 1)
		}
	case wiring.Counted:
		add("all", s.counted(a, "Sum", nil), 1)
	case wiring.Most:
		add("all", s.counted(a, "Maximum", nil), 1)
	case wiring.Heartbeats:
		for _, f := range wiring.Functions() {
			if f.Schedule != nil {
				span := *over("Sum")
				span.Period = seconds(max(a.Over, 3*f.Schedule.Every))
				add(f.Name, s.functions[f.Name].MetricInvocations(&span), 1)
			}
		}
	case wiring.Alerts:
		add("raised", s.counted(a, "Sum", nil), 1)
	}
	return all
}

// counted is a metric that the functions write themselves, with these dimensions.
func (s *stack) counted(a wiring.Alarm, statistic string, dims map[string]*string) awscloudwatch.IMetric {
	props := &awscloudwatch.MetricProps{Namespace: &a.Namespace, MetricName: &a.Metric, Statistic: &statistic, Period: seconds(a.Over)}
	if len(dims) > 0 {
		props.DimensionsMap = &dims
	}
	return awscloudwatch.NewMetric(props)
}
