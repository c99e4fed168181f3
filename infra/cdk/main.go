// Command cdk makes Merve's CloudFormation template from package wiring.
// That package says which parts there are; this one says how AWS provides them.
//
// It is run by the CDK's command line (cdk synth, cdk deploy) and takes context
// values (-c NAME=value, or "context" in cdk.json): see [options].
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

func main() {
	err := run()
	jsii.Close()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	app := newApp(nil)
	context, ok := app.Node().GetAllContext(nil).(map[string]any)
	if !ok {
		return errors.New("the CDK gives no context")
	}
	o, err := readOptions(context)
	if err != nil {
		return err
	}
	if err := o.checkSettings("../.."); err != nil {
		return err
	}
	newStack(app, o)
	app.Synth(nil)
	return nil
}

// newApp returns an app with the feature flags that the stack is written for. It
// reports nothing about itself to AWS.
func newApp(outdir *string) awscdk.App {
	return awscdk.NewApp(&awscdk.AppProps{
		Outdir:             outdir,
		AnalyticsReporting: jsii.Bool(false),
		Context: &map[string]any{
			"@aws-cdk/aws-iam:minimizePolicies": true,
			"@aws-cdk/core:target-partitions":   []string{"aws"},
		},
	})
}
