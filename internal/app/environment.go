package app

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// environment is where a function reads how it reaches AWS.
type environment func(name string) string

// lambdaConfig reads what Lambda puts into the environment (region, credentials of the role), and what may be set
// there too: endpoints, of all services (AWS_ENDPOINT_URL) or of one (AWS_ENDPOINT_URL_DYNAMODB), and how often calls
// are retried. The SDK's own loader looks in a dozen other places, with the clients of four services. Each function
// would carry those clients and prepare them before its first event.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
// https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html
func lambdaConfig(env environment) (aws.Config, error) {
	cfg := aws.Config{Region: env("AWS_REGION"), ConfigSources: []any{env}}
	keys := aws.Credentials{
		AccessKeyID: env("AWS_ACCESS_KEY_ID"), SecretAccessKey: env("AWS_SECRET_ACCESS_KEY"), SessionToken: env("AWS_SESSION_TOKEN"), Source: "environment",
	}
	if cfg.Region == "" || !keys.HasKeys() {
		return cfg, errors.New("AWS configuration: AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set, as Lambda does")
	}
	cfg.Credentials = credentials.StaticCredentialsProvider{Value: keys}
	if url := env("AWS_ENDPOINT_URL"); url != "" {
		cfg.BaseEndpoint = &url
	}
	if mode := env("AWS_RETRY_MODE"); mode != "" {
		var err error
		if cfg.RetryMode, err = aws.ParseRetryMode(mode); err != nil {
			return cfg, fmt.Errorf("AWS_RETRY_MODE: %w", err)
		}
	}
	if most := env("AWS_MAX_ATTEMPTS"); most != "" {
		var err error
		if cfg.RetryMaxAttempts, err = strconv.Atoi(most); err != nil || cfg.RetryMaxAttempts < 1 {
			return cfg, fmt.Errorf("AWS_MAX_ATTEMPTS: want a number of at least 1, not %q", most)
		}
	}
	return cfg, nil
}

// GetServiceBaseEndpoint tells the SDK's clients where one service is.
func (env environment) GetServiceBaseEndpoint(_ context.Context, service string) (url string, found bool, err error) {
	url = env("AWS_ENDPOINT_URL_" + strings.ToUpper(strings.ReplaceAll(service, " ", "_")))
	return url, url != "", nil
}
