package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addAlarms makes one alarm for each thing that the wiring wants watched, so that the alarm's name says which thing it
// is. A metric that many functions or providers have gets one alarm, whose query names them: a stack has room for 500 resources.
func (s *stack) addAlarms(as []wiring.Alarm) {
	tell := s.alarmTopic()
	for _, a := range as {
		if query(a) != "" {
			s.addQueryAlarm(a, tell)
			continue
		}
		for _, w := range s.watched(a) {
			props := &awscloudwatch.AlarmProps{
				AlarmDescription:   jsii.String(a.Doc),
				Metric:             w.metric,
				Threshold:          jsii.Number(a.Above),
				ComparisonOperator: awscloudwatch.ComparisonOperator_GREATER_THAN_THRESHOLD,
				EvaluationPeriods:  jsii.Number(1),
				TreatMissingData:   awscloudwatch.TreatMissingData_NOT_BREACHING,
			}
			if a.Of == wiring.Heartbeats { // this alarm reports silence
				props.ComparisonOperator = awscloudwatch.ComparisonOperator_LESS_THAN_OR_EQUAL_TO_THRESHOLD
				props.TreatMissingData = awscloudwatch.TreatMissingData_BREACHING
			}
			alarm := awscloudwatch.NewAlarm(s.cdk, id(a.Name+"-"+w.what, "Alarm"), props)
			if tell != nil {
				action := awscloudwatchactions.NewSnsAction(tell)
				alarm.AddAlarmAction(action)
				alarm.AddOkAction(action)
			}
		}
	}
}

// addQueryAlarm makes the alarm of a query, which reports each function or provider separately. An emulator does not
// support queries, and has no such alarms.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create_Metrics_Insights_Alarm.html
func (s *stack) addQueryAlarm(a wiring.Alarm, tell awssns.ITopic) {
	if s.Emulator != "" {
		return
	}
	above := a.Above
	if a.Of == wiring.StreamAge {
		above *= 1000 // of milliseconds
	}
	alarm := awscloudwatch.NewCfnAlarm(s.cdk, id(a.Name, "Alarm"), &awscloudwatch.CfnAlarmProps{
		AlarmDescription:   jsii.String(a.Doc),
		Threshold:          jsii.Number(above),
		ComparisonOperator: jsii.String("GreaterThanThreshold"),
		EvaluationPeriods:  jsii.Number(1),
		TreatMissingData:   jsii.String("notBreaching"),
		Metrics: &[]any{&awscloudwatch.CfnAlarm_MetricDataQueryProperty{
			Id: jsii.String("each"), Expression: jsii.String(query(a)), Period: jsii.Number(float64(a.Over)), ReturnData: jsii.Bool(true),
		}},
	})
	if tell != nil {
		alarm.SetAlarmActions(&[]*string{tell.TopicArn()})
		alarm.SetOkActions(&[]*string{tell.TopicArn()})
	}
}

// query returns the Metrics Insights query of a metric that every function or provider has; "" for any other alarm. Queries
// of Lambda's metrics see all functions of the account and region.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-querylanguage.html
func query(a wiring.Alarm) string {
	const lambda = `"AWS/Lambda", FunctionName`
	each := func(statistic, metric, of, where, by string) string {
		return fmt.Sprintf(`SELECT %s(%s) FROM SCHEMA(%s)%s GROUP BY %s ORDER BY %s() DESC`, statistic, metric, of, where, by, statistic)
	}
	switch a.Of {
	case wiring.FunctionErrors:
		return each("SUM", "Errors", lambda, "", "FunctionName")
	case wiring.Throttles:
		return each("SUM", "Throttles", lambda, "", "FunctionName")
	case wiring.StreamAge:
		return each("MAX", "IteratorAge", lambda, "", "FunctionName")
	case wiring.FailedItems:
		return each("SUM", a.Metric, fmt.Sprintf(`"%s", function`, a.Namespace), "", "function")
	case wiring.ProviderCalls:
		where := fmt.Sprintf(` WHERE outcome = '%s'`, a.Outcome)
		return each("SUM", a.Metric, fmt.Sprintf(`"%s", provider, outcome`, a.Namespace), where, "provider")
	}
	return ""
}

// alarmTopic is where alarms are told, to the address of the options; nil without one.
func (s *stack) alarmTopic() awssns.ITopic {
	if s.AlarmEmail == "" {
		return nil
	}
	topic := awssns.NewTopic(s.cdk, jsii.String("AlarmTopic"), &awssns.TopicProps{EnforceSSL: jsii.Bool(true)})
	// A topic with its own policy loses the default one, which lets the whole account publish.
	// https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
	topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("cloudwatch.amazonaws.com"), nil)},
		Actions:    jsii.Strings("sns:Publish"),
		Resources:  &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": s.cdk.Account()}},
	}))
	topic.AddSubscription(awssnssubscriptions.NewEmailSubscription(&s.AlarmEmail, nil))
	return topic
}

// watch is one metric of an alarm, and its dimensions.
type watch struct {
	what   string
	metric awscloudwatch.IMetric
}

func (s *stack) watched(a wiring.Alarm) []watch {
	over := func(statistic string) *awscloudwatch.MetricOptions {
		return &awscloudwatch.MetricOptions{Period: seconds(a.Over), Statistic: &statistic}
	}
	var all []watch
	add := func(what string, m awscloudwatch.IMetric) { all = append(all, watch{what, m}) }
	switch a.Of {
	case wiring.FailedMessages:
		for _, q := range wiring.Queues() {
			if q.DeadLetter == "" {
				add(q.Name, s.queues[q.Name].MetricApproximateNumberOfMessagesVisible(over("Maximum")))
			}
		}
	case wiring.ServerErrors:
		add("api", s.api.MetricServerError(over("Sum")))
	case wiring.OldestMessage:
		add(a.Queue, s.queues[a.Queue].MetricApproximateAgeOfOldestMessage(over("Maximum")))
	case wiring.Counted:
		add("all", s.counted(a, "Sum"))
	case wiring.Most:
		add("all", s.counted(a, "Maximum"))
	case wiring.Heartbeats:
		for _, f := range wiring.Functions() {
			if f.Schedule != nil {
				span := *over("Sum")
				span.Period = seconds(max(a.Over, 3*f.Schedule.Every))
				add(f.Name, s.functions[f.Name].MetricInvocations(&span))
			}
		}
	case wiring.Alerts:
		add("raised", s.counted(a, "Sum"))
	}
	return all
}

// counted is a metric that the functions write themselves, without dimensions.
func (s *stack) counted(a wiring.Alarm, statistic string) awscloudwatch.IMetric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: &a.Namespace, MetricName: &a.Metric, Statistic: &statistic, Period: seconds(a.Over),
	})
}
