package streams

import (
	"encoding/base64"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// eventRecord writes a change as Lambda's event source mapping does.
// https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
func eventRecord(r types.Record, table string) map[string]any {
	change := map[string]any{
		"Keys":           item(r.Dynamodb.Keys),
		"SequenceNumber": aws.ToString(r.Dynamodb.SequenceNumber),
		"SizeBytes":      aws.ToInt64(r.Dynamodb.SizeBytes),
		"StreamViewType": string(r.Dynamodb.StreamViewType),
	}
	if at := r.Dynamodb.ApproximateCreationDateTime; at != nil {
		change["ApproximateCreationDateTime"] = at.Unix()
	}
	if r.Dynamodb.NewImage != nil {
		change["NewImage"] = item(r.Dynamodb.NewImage)
	}
	if r.Dynamodb.OldImage != nil {
		change["OldImage"] = item(r.Dynamodb.OldImage)
	}
	return map[string]any{
		"eventID": aws.ToString(r.EventID), "eventName": string(r.EventName), "eventVersion": "1.1",
		"eventSource": "aws:dynamodb", "awsRegion": "us-east-1", "dynamodb": change,
		"eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/" + table + "/stream/local",
	}
}

func item(m map[string]types.AttributeValue) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = value(v)
	}
	return out
}

// value writes an attribute in DynamoDB's JSON.
func value(v types.AttributeValue) map[string]any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": base64.StdEncoding.EncodeToString(v.Value)}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": item(v.Value)}
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, e := range v.Value {
			list[i] = value(e)
		}
		return map[string]any{"L": list}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}
	}
	return map[string]any{"NULL": true}
}
