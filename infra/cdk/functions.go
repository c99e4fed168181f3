package main

import (
	"maps"
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// addFunction makes a function with a log group and a role of its own. The role may
// write to that log and do what the wiring grants; triggers add the permissions they need.
func (s *stack) addFunction(f wiring.Function) {
	logs := s.logGroup(id(f.Name, "Logs"))
	role := awsiam.NewRole(s.cdk, id(f.Name, "Role"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		Description: jsii.String("Merve " + f.Name),
	})
	logs.GrantWrite(role)
	s.grantTables(role, f)
	if f.Media {
		allow(role, []string{"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}, s.bucket.ArnForObjects(jsii.String("*")))
		allow(role, []string{"s3:ListBucket"}, s.bucket.BucketArn()) // without it a missing object is told as forbidden
	}
	if f.Scans {
		allow(role, []string{"textract:AnalyzeExpense"}, jsii.String("*")) // it has no resources
	}
	for _, q := range f.Sends {
		allow(role, []string{"sqs:SendMessage", "sqs:GetQueueAttributes"}, s.queues[q].QueueArn())
	}
	for _, b := range f.Puts {
		allow(role, []string{"events:PutEvents"}, s.buses[b].EventBusArn())
	}
	if f.Posts {
		s.posts.GrantManagementApiAccess(role)
	}
	if len(f.Secrets) > 0 {
		allow(role, []string{"secretsmanager:GetSecretValue"}, s.secretARN())
	}
	s.functions[f.Name] = awslambda.NewFunction(s.cdk, id(f.Name, "Function"), &awslambda.FunctionProps{
		Description:  jsii.String(f.Doc),
		Code:         awslambda.Code_FromAsset(jsii.String(filepath.Join(s.Dist, f.Runs())), nil),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: s.architecture(),
		Handler:      jsii.String("bootstrap"),
		MemorySize:   jsii.Number(f.Memory),
		Timeout:      seconds(f.Timeout),
		Environment:  s.variables(f),
		Role:         role,
		LogGroup:     logs,
		Tracing:      s.tracing(),
	})
}

// grantTables allows f its actions on its tables; indexes can only be queried.
func (s *stack) grantTables(role awsiam.Role, f wiring.Function) {
	for _, g := range f.Tables {
		arn := s.tables[g.Table].TableArn()
		var actions []string
		for _, a := range g.Actions {
			actions = append(actions, "dynamodb:"+string(a))
			if a == wiring.Query {
				s.grantIndexes(role, g.Table)
			}
		}
		allow(role, actions, arn)
	}
}

func (s *stack) grantIndexes(role awsiam.Role, table string) {
	for _, t := range wiring.Tables() {
		if t.Name != table {
			continue
		}
		for _, ix := range t.Indexes {
			allow(role, []string{"dynamodb:Query"}, jsii.String(*s.tables[table].TableArn()+"/index/"+ix.Name))
		}
	}
}

func allow(role awsiam.Role, actions []string, resource *string) {
	role.AddToPrincipalPolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:   jsii.Strings(actions...),
		Resources: &[]*string{resource},
	}))
}

// secretARN is the secret's ARN except for the six characters that Secrets Manager adds to a name.
// https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
func (s *stack) secretARN() *string {
	return s.cdk.FormatArn(&awscdk.ArnComponents{
		Service:      jsii.String("secretsmanager"),
		Resource:     jsii.String("secret"),
		ResourceName: jsii.String(s.Secret + "-??????"),
		ArnFormat:    awscdk.ArnFormat_COLON_RESOURCE_NAME,
	})
}

// environment is the value of every variable that the wiring names.
func (s *stack) environment() map[string]*string {
	env := map[string]*string{
		wiring.SecretEnv: &s.Secret,
		"PUBLIC_URL":     s.api.ApiEndpoint(), // until a better one is set
		wiring.PostsEnv:  s.socketsAt("http"),
		"LIVE_URL":       s.socketsAt("ws"),
	}
	for _, t := range wiring.Tables() {
		env[t.Env] = s.tables[t.Name].TableName()
	}
	env[wiring.Media().Env] = s.bucket.BucketName()
	for _, q := range wiring.Queues() {
		if q.Env != "" {
			env[q.Env] = s.queues[q.Name].QueueUrl()
		}
	}
	for _, b := range wiring.Buses() {
		env[b.Env] = s.buses[b.Name].EventBusName()
	}
	for name, value := range maps.All(s.Settings) {
		env[name] = jsii.String(value)
	}
	return env
}

// variables is the part of the environment that f reads.
func (s *stack) variables(f wiring.Function) *map[string]*string {
	vars := map[string]*string{}
	for _, name := range f.Env() {
		if value := s.env[name]; value != nil {
			vars[name] = value
		}
	}
	return &vars
}

func (s *stack) architecture() awslambda.Architecture {
	if s.X86 {
		return awslambda.Architecture_X86_64()
	}
	return awslambda.Architecture_ARM_64()
}

func (s *stack) tracing() awslambda.Tracing {
	if s.Tracing {
		return awslambda.Tracing_ACTIVE
	}
	return awslambda.Tracing_DISABLED
}
