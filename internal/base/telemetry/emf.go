package telemetry

import (
	"context"
	"log/slog"
	"time"
)

// Metric is one number of an embedded metric line.
type Metric struct {
	Name  string
	Unit  string // CloudWatch unit: Count, Seconds, Milliseconds, None
	Value float64
}

// Emit writes ms as one log line in CloudWatch's embedded metric format, so that a
// metric costs no request. It is there from level on: what an alarm looks at is as loud as an error.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
func Emit(ctx context.Context, log *slog.Logger, level slog.Level, at time.Time, dims map[string]string, ms ...Metric) {
	keys := make([]string, 0, len(dims))
	attrs := make([]any, 0, len(dims)+len(ms)+1)
	for k, v := range dims {
		keys = append(keys, k)
		attrs = append(attrs, slog.String(k, v))
	}
	defs := make([]map[string]string, len(ms))
	for i, m := range ms {
		defs[i] = map[string]string{"Name": m.Name, "Unit": m.Unit}
		attrs = append(attrs, slog.Float64(m.Name, m.Value))
	}
	attrs = append(attrs, slog.Any("_aws", map[string]any{
		"Timestamp": at.UnixMilli(),
		"CloudWatchMetrics": []map[string]any{{
			"Namespace":  "Merve",
			"Dimensions": [][]string{keys},
			"Metrics":    defs,
		}},
	}))
	log.Log(ctx, level, "metric", attrs...)
}
