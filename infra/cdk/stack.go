package main

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// stack is one deployment of Merve. Its parts are kept by their names in the wiring.
type stack struct {
	options
	cdk       awscdk.Stack
	tables    map[string]awsdynamodb.ITableV2
	queues    map[string]awssqs.Queue
	buses     map[string]awsevents.EventBus
	functions map[string]awslambda.Function
	bucket    awss3.Bucket
	api       awsapigatewayv2.HttpApi
	sockets   awsapigatewayv2.WebSocketApi
	posts     awsapigatewayv2.WebSocketStage // where connections are written to
	env       map[string]*string             // value of every environment variable that has one
}

func newStack(scope constructs.Construct, o options) awscdk.Stack {
	s := &stack{
		cdk: awscdk.NewStack(scope, jsii.String("merve-"+o.Stage), &awscdk.StackProps{
			Description:           jsii.String("Merve, stage " + o.Stage),
			TerminationProtection: jsii.Bool(!o.Disposable),
		}),
		options:   o,
		tables:    map[string]awsdynamodb.ITableV2{},
		queues:    map[string]awssqs.Queue{},
		buses:     map[string]awsevents.EventBus{},
		functions: map[string]awslambda.Function{},
	}
	s.addTables(awscdk.NewNestedStack(s.cdk, jsii.String("Data"), &awscdk.NestedStackProps{
		Description:   jsii.String("What Merve has stored, stage " + o.Stage),
		RemovalPolicy: s.removal(),
	}), wiring.Tables())
	s.addQueues(wiring.Queues())
	s.addBuses(wiring.Buses())
	s.addRules(wiring.Rules(), wiring.Queues())
	s.addBucket(wiring.Media())
	s.addAPI()
	s.addSockets()
	s.env = s.environment()
	for _, f := range wiring.Functions() {
		s.addFunction(f)
		s.addTriggers(f)
	}
	s.addAlarms(wiring.Alarms())
	s.addOutputs()
	return s.cdk
}

func (s *stack) addBucket(b wiring.Bucket) {
	var rules []*awss3.LifecycleRule
	for _, e := range b.Expire {
		rules = append(rules, &awss3.LifecycleRule{Prefix: &e.Prefix, Expiration: awscdk.Duration_Days(jsii.Number(e.Days))})
	}
	s.bucket = awss3.NewBucket(s.cdk, id(b.Name, "Bucket"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:        jsii.Bool(s.Emulator == ""),
		MinimumTLSVersion: s.leastTLS(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		RemovalPolicy:     s.removal(),
		LifecycleRules:    &rules,
		// The signed address decides who may upload, not the page.
		Cors: &[]*awss3.CorsRule{{
			AllowedMethods: &[]awss3.HttpMethods{awss3.HttpMethods_PUT},
			AllowedOrigins: jsii.Strings("*"),
			AllowedHeaders: jsii.Strings("content-type"),
			MaxAge:         jsii.Number(600),
		}},
	})
}

// leastTLS is the oldest version of TLS that the bucket takes; nil asks for none.
func (s *stack) leastTLS() *float64 {
	if s.Emulator != "" {
		return nil
	}
	return jsii.Number(1.2)
}

// addOutputs tells the addresses that are given to people and providers.
func (s *stack) addOutputs() {
	s.output("ApiUrl", "Address of the API and the chat page", s.api.ApiEndpoint())
	s.output("LiveUrl", "Address of live conversations", s.socketsAt("ws"))
	s.output("SecretName", "Secret that the functions read", &s.Secret)
	for _, f := range wiring.Functions() {
		for _, r := range f.Routes {
			if strings.HasPrefix(r.Path, "/webhooks/") && r.Method == "POST" {
				name := *id(strings.TrimPrefix(r.Path, "/webhooks/"), "WebhookUrl")
				s.output(name, "Give this to the provider: "+r.Method+" "+r.Path, jsii.String(*s.env["PUBLIC_URL"]+r.Path))
			}
		}
	}
}

func (s *stack) output(name, doc string, value *string) {
	awscdk.NewCfnOutput(s.cdk, &name, &awscdk.CfnOutputProps{Description: &doc, Value: value})
}

// removal says what happens to stored data when it leaves the stack.
func (s *stack) removal() awscdk.RemovalPolicy {
	if s.Disposable {
		return awscdk.RemovalPolicy_DESTROY
	}
	return awscdk.RemovalPolicy_RETAIN
}

func (s *stack) logGroup(name *string) awslogs.LogGroup {
	return awslogs.NewLogGroup(s.cdk, name, &awslogs.LogGroupProps{
		Retention:     awslogs.RetentionDays_ONE_MONTH,
		RemovalPolicy: s.removal(),
	})
}

// id makes a construct's id from a name of the wiring: id("turns-failed", "Queue")
// is TurnsFailedQueue. Ids never change: to CloudFormation a new id is a new resource.
func id(name, kind string) *string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '/' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return jsii.String(b.String() + kind)
}

func seconds(n wiring.Seconds) awscdk.Duration { return awscdk.Duration_Seconds(jsii.Number(n)) }
