package trigger

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// attribute is a DynamoDB value as it stands in JSON: an object with exactly one of
// these. Numbers stay text, so none loses a digit; an empty list is not a missing one.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html
type attribute struct {
	S    *string              `json:"S,omitzero"`
	N    *string              `json:"N,omitzero"`
	B    []byte               `json:"B,omitzero"`
	BOOL *bool                `json:"BOOL,omitzero"`
	NULL *bool                `json:"NULL,omitzero"`
	SS   []string             `json:"SS,omitzero"`
	NS   []string             `json:"NS,omitzero"`
	BS   [][]byte             `json:"BS,omitzero"`
	L    []attribute          `json:"L,omitzero"`
	M    map[string]attribute `json:"M,omitzero"`
}

// value is a in the SDK's form.
func (a *attribute) value() (v types.AttributeValue, err error) {
	found := 0
	take := func(one types.AttributeValue) { v, found = one, found+1 }
	if a.S != nil {
		take(&types.AttributeValueMemberS{Value: *a.S})
	}
	if a.N != nil {
		take(&types.AttributeValueMemberN{Value: *a.N})
	}
	if a.B != nil {
		take(&types.AttributeValueMemberB{Value: a.B})
	}
	if a.BOOL != nil {
		take(&types.AttributeValueMemberBOOL{Value: *a.BOOL})
	}
	if a.NULL != nil {
		take(&types.AttributeValueMemberNULL{Value: *a.NULL})
	}
	if a.SS != nil {
		take(&types.AttributeValueMemberSS{Value: a.SS})
	}
	if a.NS != nil {
		take(&types.AttributeValueMemberNS{Value: a.NS})
	}
	if a.BS != nil {
		take(&types.AttributeValueMemberBS{Value: a.BS})
	}
	if a.L != nil {
		list, err := valueList(a.L)
		if err != nil {
			return nil, err
		}
		take(&types.AttributeValueMemberL{Value: list})
	}
	if a.M != nil {
		m, err := values(a.M)
		if err != nil {
			return nil, err
		}
		take(&types.AttributeValueMemberM{Value: m})
	}
	if found != 1 {
		return nil, fmt.Errorf("has %d types, want one of S N B BOOL NULL SS NS BS L M", found)
	}
	return v, nil
}

func valueList(as []attribute) ([]types.AttributeValue, error) {
	out := make([]types.AttributeValue, len(as))
	for i := range as {
		v, err := as[i].value()
		if err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

func values(as map[string]attribute) (Item, error) {
	if as == nil {
		return nil, nil
	}
	out := make(Item, len(as))
	for name, a := range as {
		v, err := a.value()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

// attributeOf is the way back.
func attributeOf(v types.AttributeValue) (a attribute, err error) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		a.S = &v.Value
	case *types.AttributeValueMemberN:
		a.N = &v.Value
	case *types.AttributeValueMemberB:
		a.B = present(v.Value)
	case *types.AttributeValueMemberBOOL:
		a.BOOL = &v.Value
	case *types.AttributeValueMemberNULL:
		a.NULL = &v.Value
	case *types.AttributeValueMemberSS:
		a.SS = present(v.Value)
	case *types.AttributeValueMemberNS:
		a.NS = present(v.Value)
	case *types.AttributeValueMemberBS:
		a.BS = present(v.Value)
	case *types.AttributeValueMemberL:
		a.L = make([]attribute, len(v.Value))
		for i := range v.Value {
			if a.L[i], err = attributeOf(v.Value[i]); err != nil {
				return a, fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case *types.AttributeValueMemberM:
		a.M, err = attributes(v.Value)
	default:
		return a, fmt.Errorf("unknown type %T", v)
	}
	return a, err
}

func attributes(item Item) (map[string]attribute, error) {
	out := make(map[string]attribute, len(item))
	for name, v := range item {
		a, err := attributeOf(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = a
	}
	return out, nil
}

// present is s, and not nil.
func present[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
