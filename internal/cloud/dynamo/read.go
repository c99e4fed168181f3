package dynamo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"merve/internal/base/fault"
	"merve/internal/base/pause"
)

// Get reads one item, strongly consistent; nil if it does not exist. One request.
func (t Table) Get(ctx context.Context, key Key) (Item, error) {
	out, err := t.db.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &t.name, Key: key.item(), ConsistentRead: aws.Bool(true),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return nil, classify(err, fmt.Sprintf("get %v of", key), t.name)
	}
	return out.Item, nil
}

// maxReads is how many items one request of [Table.BatchGet] reads.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
const maxReads = 100

// BatchGet reads items, strongly consistent, in the order of their keys; missing ones are left
// out. One request for each [maxReads] keys. What DynamoDB holds back for later is asked for
// again.
func (t Table) BatchGet(ctx context.Context, keys ...Key) ([]Item, error) {
	places := make([]Place, len(keys))
	for i, k := range keys {
		places[i] = Place{t, k}
	}
	items, err := t.db.BatchGet(ctx, places...)
	return slices.DeleteFunc(items, func(it Item) bool { return it == nil }), err
}

// Place is where an item is kept.
type Place struct {
	Table Table
	Key   Key
}

// BatchGet reads the items at some places, of any tables, as [Table.BatchGet] does. The item of each
// place has its index; a missing one is nil.
func (db *DB) BatchGet(ctx context.Context, places ...Place) ([]Item, error) {
	found := map[string]map[Key]Item{} // by table
	for some := range slices.Chunk(places, maxReads) {
		if err := db.batchGet(ctx, some, found); err != nil {
			return nil, err
		}
	}
	items := make([]Item, len(places))
	for i, p := range places {
		items[i] = found[p.Table.name][p.Key]
	}
	return items, nil
}

func (db *DB) batchGet(ctx context.Context, places []Place, found map[string]map[Key]Item) error {
	ask := map[string]types.KeysAndAttributes{}
	seen := map[Place]bool{} // DynamoDB refuses a key that is asked for twice
	for _, p := range places {
		if seen[p] {
			continue
		}
		seen[p] = true
		of := ask[p.Table.name]
		of.Keys, of.ConsistentRead = append(of.Keys, p.Key.item()), aws.Bool(true)
		ask[p.Table.name] = of
	}
	for n := 1; ; n++ {
		out, err := db.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: ask, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return classify(err, "batch get", strings.Join(slices.Sorted(maps.Keys(ask)), ", "))
		}
		for table, items := range out.Responses {
			for _, it := range items {
				if found[table] == nil {
					found[table] = map[Key]Item{}
				}
				found[table][Item(it).Key()] = it
			}
		}
		switch ask = out.UnprocessedKeys; {
		case len(ask) == 0:
			return nil
		case n == MaxTries:
			return fault.New(fault.Unavailable, "the store is busy, try again")
		}
		if err := pause.For(ctx, db.Backoff(n)); err != nil {
			return err
		}
	}
}

// Query asks for a range of items that share a partition key.
type Query struct {
	Index    string // "" is the table itself, read strongly; an index is read eventually
	Where    string // key condition, such as "pk = :pk AND begins_with(sk, :prefix)"
	Values   V
	Backward bool
	Limit    int    // at most this many; 0 leaves it to DynamoDB (1 MB)
	After    string // a Page's Next
}

// Page is one answer to a query.
type Page struct {
	Items []Item
	Next  string // opaque; "" when nothing is left
}

// Keys are those of the page's items.
func (p Page) Keys() []Key {
	keys := make([]Key, len(p.Items))
	for i, it := range p.Items {
		keys[i] = it.Key()
	}
	return keys
}

// Query runs q. One request.
func (t Table) Query(ctx context.Context, q Query) (Page, error) {
	in := &dynamodb.QueryInput{
		TableName:                &t.name,
		IndexName:                optional(q.Index),
		KeyConditionExpression:   &q.Where,
		ExpressionAttributeNames: names(q.Where),
		ScanIndexForward:         aws.Bool(!q.Backward),
		ConsistentRead:           aws.Bool(q.Index == ""),
		ReturnConsumedCapacity:   types.ReturnConsumedCapacityTotal,
	}
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(q.Limit))
	}
	values := Item{}
	for name, v := range q.Values {
		av, err := encodeValue(v)
		if err != nil {
			return Page{}, fmt.Errorf("dynamo: query %s: value %s: %w", t.name, name, err)
		}
		values[name] = av
	}
	in.ExpressionAttributeValues = values
	if q.After != "" {
		start, err := decodeCursor(q.After)
		if err != nil {
			return Page{}, err
		}
		in.ExclusiveStartKey = start
	}
	out, err := t.db.client.Query(ctx, in)
	var invalid smithy.APIError
	if q.After != "" && errors.As(err, &invalid) && invalid.ErrorCode() == "ValidationException" {
		return Page{}, errCursor // of another list, or made up
	}
	if err != nil {
		return Page{}, classify(err, "query", t.name)
	}
	page := Page{Items: make([]Item, len(out.Items))}
	for i, it := range out.Items {
		page.Items[i] = it
	}
	page.Next = encodeCursor(out.LastEvaluatedKey)
	return page, nil
}

// Under asks for the items of a partition whose sort key begins with prefix.
func Under(pk, prefix string) Query {
	if prefix == "" {
		return Query{Where: "pk = :pk", Values: V{":pk": pk}}
	}
	return Query{Where: "pk = :pk AND begins_with(sk, :prefix)", Values: V{":pk": pk, ":prefix": prefix}}
}

// Each hands do what q finds, to the end. One request for each megabyte.
func (t Table) Each(ctx context.Context, q Query, do func(Item) error) error {
	for {
		page, err := t.Query(ctx, q)
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			if err := do(it); err != nil {
				return err
			}
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

// Collect decodes what q finds, to the end. One request for each megabyte.
func Collect[T any](ctx context.Context, t Table, q Query) ([]T, error) {
	all := []T{}
	err := t.Each(ctx, q, func(it Item) error {
		var v T
		if err := it.Decode(&v); err != nil {
			return err
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

// CursorAt is the Next of a page of an index of keys only that ended with an item.
func CursorAt(it Item) string { return encodeCursor(it) }

// encodeCursor writes a last evaluated key (strings and numbers only) as one word.
func encodeCursor(key Item) string {
	if len(key) == 0 {
		return ""
	}
	plain := map[string]any{}
	for name, v := range key {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			plain[name] = v.Value
		case *types.AttributeValueMemberN:
			plain[name] = json.Number(v.Value)
		}
	}
	b, err := json.Marshal(plain)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

var errCursor = fault.Field("after", "want a cursor as an earlier answer gave it")

func decodeCursor(s string) (Item, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return nil, errCursor
	}
	var plain map[string]any
	if err := json.Unmarshal(b, &plain); err != nil || len(plain) == 0 {
		return nil, errCursor
	}
	key := Item{}
	for name, v := range plain {
		switch v := v.(type) {
		case string:
			key[name] = &types.AttributeValueMemberS{Value: v}
		case float64:
			key[name] = &types.AttributeValueMemberN{Value: strconv.FormatFloat(v, 'f', -1, 64)}
		default:
			return nil, errCursor
		}
	}
	return key, nil
}
