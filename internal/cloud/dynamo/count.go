package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"merve/internal/base/telemetry"
)

// countRequests counts every request that goes out, retries too, and the capacity
// that each answer reports.
func countRequests(stack *middleware.Stack) error {
	sent := middleware.FinalizeMiddlewareFunc("CountRequests", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
		size := int64(0)
		if req, ok := in.Request.(*smithyhttp.Request); ok {
			size = max(req.ContentLength, 0)
		}
		telemetry.CountRequest(ctx, size)
		return next.HandleFinalize(ctx, in)
	})
	if err := stack.Finalize.Insert(sent, "Retry", middleware.After); err != nil {
		return err
	}
	units := middleware.InitializeMiddlewareFunc("CountUnits", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		start := time.Now()
		out, md, err := next.HandleInitialize(ctx, in)
		telemetry.CountTime(ctx, "dynamo", time.Since(start))
		read, write := capacity(out.Result)
		telemetry.CountUnits(ctx, read, write)
		return out, md, err
	})
	return stack.Initialize.Add(units, middleware.After)
}

func capacity(result any) (read, write float64) {
	sum := func(cs []types.ConsumedCapacity) (total float64) {
		for _, c := range cs {
			total += one(&c)
		}
		return total
	}
	switch r := result.(type) {
	case *dynamodb.GetItemOutput:
		return one(r.ConsumedCapacity), 0
	case *dynamodb.BatchGetItemOutput:
		return sum(r.ConsumedCapacity), 0
	case *dynamodb.QueryOutput:
		return one(r.ConsumedCapacity), 0
	case *dynamodb.PutItemOutput:
		return 0, one(r.ConsumedCapacity)
	case *dynamodb.UpdateItemOutput:
		return 0, one(r.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		return 0, one(r.ConsumedCapacity)
	case *dynamodb.TransactWriteItemsOutput:
		return 0, sum(r.ConsumedCapacity)
	}
	return 0, 0
}

func one(c *types.ConsumedCapacity) float64 {
	if c == nil || c.CapacityUnits == nil {
		return 0
	}
	return *c.CapacityUnits
}
