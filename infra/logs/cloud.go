package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"
)

// cloud has the logs of a deployment in CloudWatch.
type cloud struct {
	client *cloudwatchlogs.Client
	stack  string
	now    func() time.Time
	wait   func(ctx context.Context, d time.Duration) error
}

const (
	lookBack  = 24 * time.Hour
	mostLines = 10_000 // that Logs Insights gives
	mostPolls = 120
)

// lines asks Logs Insights for the lines that all functions logged about a call session.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
func (c cloud) lines(ctx context.Context, call string) ([]string, error) {
	groups, err := c.groups(ctx)
	if err != nil {
		return nil, err
	}
	started, err := c.client.StartQuery(ctx, &cloudwatchlogs.StartQueryInput{
		LogGroupNames: groups, StartTime: aws.Int64(c.now().Add(-lookBack).Unix()), EndTime: aws.Int64(c.now().Unix()),
		QueryString: aws.String(queryFor(call)), Limit: aws.Int32(mostLines),
	})
	if err != nil {
		return nil, fmt.Errorf("start a query: %w", err)
	}
	for range mostPolls {
		found, err := c.client.GetQueryResults(ctx, &cloudwatchlogs.GetQueryResultsInput{QueryId: started.QueryId})
		if err != nil {
			return nil, fmt.Errorf("results of a query: %w", err)
		}
		switch found.Status {
		case types.QueryStatusComplete:
			return messages(found.Results), nil
		case types.QueryStatusRunning, types.QueryStatusScheduled:
		default:
			return nil, fmt.Errorf("the query is %s", found.Status)
		}
		if err := c.wait(ctx, time.Second); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the query takes too long")
}

// queryFor finds the lines of a call session. A quotation mark in its name ends no string.
func queryFor(call string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(call)
	return `fields @message | filter callSessionId = "` + quoted + `" | sort @timestamp asc`
}

// groups are the log groups of the stack's functions. CloudFormation calls them after the stack.
func (c cloud) groups(ctx context.Context) (names []string, err error) {
	pages := cloudwatchlogs.NewDescribeLogGroupsPaginator(c.client, &cloudwatchlogs.DescribeLogGroupsInput{LogGroupNamePrefix: aws.String(c.stack + "-")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("log groups of %s: %w", c.stack, err)
		}
		for _, g := range page.LogGroups {
			names = append(names, aws.ToString(g.LogGroupName))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there is no stack %s", c.stack)
	}
	return names, nil
}

func messages(results [][]types.ResultField) (lines []string) {
	for _, fields := range results {
		for _, f := range fields {
			if aws.ToString(f.Field) == "@message" {
				lines = append(lines, strings.TrimSpace(aws.ToString(f.Value)))
			}
		}
	}
	return lines
}
