package dynamo

import (
	"errors"
	"reflect"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A cursor that a client sends is a key of strings and numbers, or an error that names it;
// what it is read as is written as a cursor that is read as the same.
func FuzzCursor(f *testing.F) {
	for _, key := range []Item{
		{"pk": &types.AttributeValueMemberS{Value: "th_1"}, "sk": &types.AttributeValueMemberS{Value: "turn#00000001"}},
		{"pk": &types.AttributeValueMemberS{Value: "ş\x00"}, "dueAt": &types.AttributeValueMemberN{Value: "1763726400000"}},
		{"n": &types.AttributeValueMemberN{Value: "-0.000001"}},
	} {
		f.Add(encodeCursor(key))
	}
	for _, s := range []string{"", "not a cursor", "e30", "bnVsbA", "W10", "eyJhIjpudWxsfQ", "eyJhIjpbXX0", "eyJhIjoxZTk5OX0", "eyJhIjoxLCJhIjoiYiJ9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key, err := decodeCursor(s)
		if err != nil {
			if !errors.Is(err, errCursor) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if len(key) == 0 {
			t.Fatalf("%q is no key", s)
		}
		again, err := decodeCursor(encodeCursor(key))
		if err != nil || !reflect.DeepEqual(key, again) {
			t.Errorf("%q: %v, again %v, %v", s, key, again, err)
		}
	})
}

// What a page ends with is what the next begins after.
func FuzzKeyInCursor(f *testing.F) {
	f.Add("th_1", "turn#00000001", int64(1763726400000))
	f.Add("", "\"\\", int64(-1))
	f.Add("ş", "~", int64(1)<<53)
	f.Fuzz(func(t *testing.T, pk, sk string, at int64) {
		key := Key{pk, sk}.item()
		key["dueShard"] = &types.AttributeValueMemberS{Value: "thread#07"}
		if at > -1<<53 && at < 1<<53 {
			key["dueAt"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(at, 10)}
		}
		got, err := decodeCursor(encodeCursor(key))
		if err != nil {
			t.Fatalf("%q %q: %v", pk, sk, err)
		}
		if utf8.ValidString(pk) && utf8.ValidString(sk) && !reflect.DeepEqual(key, got) {
			t.Errorf("%v came back as %v", key, got)
		}
	})
}

// Names of attributes in expressions are found whole, whatever stands around them.
func FuzzNames(f *testing.F) {
	f.Add("SET #state = :s REMOVE #ttl, inbox[0]")
	f.Add("##a#b-#c_1 #")
	f.Add("#ş#")
	f.Fuzz(func(t *testing.T, expr string) {
		for placeholder, name := range names(expr) {
			if placeholder != "#"+name {
				t.Errorf("%q stands for %q", placeholder, name)
			}
			for _, r := range name {
				if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
					t.Errorf("%q has the name %q", expr, name)
				}
			}
		}
	})
}
