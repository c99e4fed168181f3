package main

import (
	"encoding/json"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/jsii-runtime-go"

	"merve/infra/wiring"
)

// The most that the gateway lets through, for all callers together; more get 429.
const (
	requestsPerSecond = 200
	requestsAtOnce    = 400
)

// accessLog has one line per request: the route, the result, the duration, and
// the ids that lead to the function's own lines. The caller's address, the
// values in the path and the query are personal and stay out.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
func accessLog() *string {
	line, err := json.Marshal(map[string]string{
		"time":           "$context.requestTime",
		"requestId":      "$context.requestId",
		"traceId":        "$context.integration.requestId", // the invocation's
		"route":          "$context.routeKey",
		"status":         "$context.status",
		"protocol":       "$context.protocol",
		"bytes":          "$context.responseLength",
		"latencyMs":      "$context.responseLatency",
		"functionMs":     "$context.integration.latency",
		"functionStatus": "$context.integration.integrationStatus",
		"error":          "$context.error.messageString",
		"functionError":  "$context.integration.error",
	})
	if err != nil {
		panic(err) // strings always marshal
	}
	return jsii.String(string(line))
}

// addAPI makes the gateway; each function adds its routes.
func (s *stack) addAPI() {
	s.api = awsapigatewayv2.NewHttpApi(s.cdk, jsii.String("Api"), &awsapigatewayv2.HttpApiProps{
		ApiName:            s.cdk.StackName(),
		CreateDefaultStage: jsii.Bool(false),
	})
	awsapigatewayv2.NewCfnStage(s.cdk, jsii.String("ApiStage"), &awsapigatewayv2.CfnStageProps{
		ApiId:      s.api.ApiId(),
		StageName:  jsii.String("$default"),
		AutoDeploy: jsii.Bool(true),
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit:  jsii.Number(requestsPerSecond),
			ThrottlingBurstLimit: jsii.Number(requestsAtOnce),
		},
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: s.logGroup(jsii.String("ApiLogs")).LogGroupArn(),
			Format:         accessLog(),
		},
	})
}

// addRoutes sends a function its requests. The function itself finds out who is signed in: an authorizer
// of the gateway would answer in a form of its own, and knows fewer kinds of keys.
func (s *stack) addRoutes(f wiring.Function) {
	integration := awsapigatewayv2integrations.NewHttpLambdaIntegration(id(f.Name, "Integration"), s.functions[f.Name],
		&awsapigatewayv2integrations.HttpLambdaIntegrationProps{
			PayloadFormatVersion:   awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
			ScopePermissionToRoute: jsii.Bool(false), // one permission a function: a stack has room for 500 resources
		})
	for _, r := range f.Routes {
		if r.Path == wiring.Default {
			awsapigatewayv2.NewHttpRoute(s.cdk, jsii.String("DefaultRoute"), &awsapigatewayv2.HttpRouteProps{
				HttpApi: s.api, RouteKey: awsapigatewayv2.HttpRouteKey_DEFAULT(), Integration: integration,
			})
			continue
		}
		s.api.AddRoutes(&awsapigatewayv2.AddRoutesOptions{
			Path:        jsii.String(r.Path),
			Methods:     &[]awsapigatewayv2.HttpMethod{awsapigatewayv2.HttpMethod(r.Method)},
			Integration: integration,
		})
	}
}

// addSockets makes the WebSocket API. Every message goes to the same function, which finds out its kind.
func (s *stack) addSockets() {
	s.sockets = awsapigatewayv2.NewWebSocketApi(s.cdk, jsii.String("Sockets"), &awsapigatewayv2.WebSocketApiProps{
		ApiName: jsii.String(*s.cdk.StackName() + "-live"),
	})
	s.posts = awsapigatewayv2.NewWebSocketStage(s.cdk, jsii.String("SocketsStage"), &awsapigatewayv2.WebSocketStageProps{
		WebSocketApi: s.sockets,
		StageName:    jsii.String("live"),
		AutoDeploy:   jsii.Bool(true),
		Throttle:     &awsapigatewayv2.ThrottleSettings{RateLimit: jsii.Number(requestsPerSecond), BurstLimit: jsii.Number(requestsAtOnce)},
	})
}

// socketsAt returns the address of the WebSocket API, for clients (ws) or for programs that write to them (http).
func (s *stack) socketsAt(scheme string) *string {
	switch {
	case s.Emulator != "":
		return awscdk.Fn_Join(jsii.String("/"), &[]*string{
			jsii.String(scheme + strings.TrimPrefix(s.Emulator, "http") + "/_aws/execute-api"), s.sockets.ApiId(), s.posts.StageName(),
		})
	case scheme == "ws":
		return s.posts.Url()
	}
	return s.posts.CallbackUrl()
}

// addConnections tells a function what happens on sockets.
func (s *stack) addConnections(function string) {
	for _, route := range []string{"$connect", "$disconnect", "$default"} {
		name := id(function, strings.TrimPrefix(route, "$")+"Integration")
		s.sockets.AddRoute(jsii.String(route), &awsapigatewayv2.WebSocketRouteOptions{
			Integration: awsapigatewayv2integrations.NewWebSocketLambdaIntegration(name, s.functions[function], nil),
		})
	}
}
