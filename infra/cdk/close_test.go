//go:build !race

package main

import "github.com/aws/jsii-runtime-go"

// closeBridge ends the CDK's process and removes its files.
func closeBridge() { jsii.Close() }
