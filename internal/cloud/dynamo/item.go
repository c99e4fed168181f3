package dynamo

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Item is a stored item.
type Item map[string]types.AttributeValue

// Key returns the item's key.
func (it Item) Key() Key { return Key{it.String("pk"), it.String("sk")} }

// String returns the string attribute name, or "".
func (it Item) String(name string) string {
	if s, ok := it[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// Int returns the number attribute name, or 0.
func (it Item) Int(name string) int64 {
	if n, ok := it[name].(*types.AttributeValueMemberN); ok {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if err == nil {
			return v
		}
	}
	return 0
}

// List returns the list attribute name, or nil.
func (it Item) List(name string) []types.AttributeValue {
	if l, ok := it[name].(*types.AttributeValueMemberL); ok {
		return l.Value
	}
	return nil
}

// Time returns the time attribute name, or the zero time.
func (it Item) Time(name string) time.Time {
	if ms := it.Int(name); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// Expired reports whether the item's ttl has passed at now, whether or not DynamoDB
// has come round to deleting it.
func (it Item) Expired(now time.Time) bool {
	ttl := it.Int("ttl")
	return ttl != 0 && ttl <= now.Unix()
}

// Decode fills out, a pointer to a struct with dynamodbav tags.
func (it Item) Decode(out any) error {
	if err := attributevalue.UnmarshalMapWithOptions(it, out, decodeTimes); err != nil {
		return fmt.Errorf("dynamo: decode %v: %w", it.Key(), err)
	}
	return nil
}

// Decode decodes items of one kind.
func Decode[T any](items []Item) ([]T, error) {
	all := make([]T, len(items))
	for i, it := range items {
		if err := it.Decode(&all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Set is a value that is kept as a set of strings, to be changed by ADD and DELETE. It must
// not be empty.
type Set []string

// MarshalDynamoDBAttributeValue implements [attributevalue.Marshaler].
func (s Set) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return &types.AttributeValueMemberSS{Value: s}, nil
}

// Encode turns a struct with dynamodbav tags into an item without its key.
func Encode(in any) (Item, error) {
	m, err := attributevalue.MarshalMapWithOptions(in, encodeTimes)
	if err != nil {
		return nil, fmt.Errorf("dynamo: encode %T: %w", in, err)
	}
	prune(m)
	return m, nil
}

func encodeValue(v any) (types.AttributeValue, error) {
	av, err := attributevalue.MarshalWithOptions(v, encodeTimes)
	if err != nil {
		return nil, fmt.Errorf("dynamo: encode %T: %w", v, err)
	}
	pruneValue(av)
	return av, nil
}

// Stamp writes a time as text that sorts by time, for keys.
func Stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func encodeTimes(o *attributevalue.EncoderOptions) {
	o.EncodeTime = func(t time.Time) (types.AttributeValue, error) {
		if t.IsZero() {
			return &types.AttributeValueMemberNULL{Value: true}, nil
		}
		return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.UnixMilli(), 10)}, nil
	}
}

func decodeTimes(o *attributevalue.DecoderOptions) {
	o.DecodeTime = attributevalue.DecodeTimeAttributes{
		N: func(s string) (time.Time, error) {
			ms, err := strconv.ParseInt(s, 10, 64)
			return time.UnixMilli(ms).UTC(), err
		},
	}
}

// prune drops nulls, so that absent and zero are one thing, and takes numbers that are nearer to
// zero than DynamoDB keeps them for zero.
func prune(m map[string]types.AttributeValue) {
	for k, v := range m {
		if _, null := v.(*types.AttributeValueMemberNULL); null {
			delete(m, k)
			continue
		}
		pruneValue(v)
	}
}

func pruneValue(v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		prune(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			pruneValue(e)
		}
	case *types.AttributeValueMemberN:
		if isTiny(v.Value) {
			v.Value = "0"
		}
	}
}

// isTiny reports whether a number is nearer to zero than 1E-130, which is refused.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
func isTiny(number string) bool {
	x, err := strconv.ParseFloat(number, 64)
	return err == nil && math.Abs(x) < 1e-130
}
