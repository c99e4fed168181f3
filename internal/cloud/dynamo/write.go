package dynamo

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/fault"
)

// Write is one write, or one condition, that waits to be committed.
type Write struct {
	op      op
	table   string
	key     Key
	item    Item
	update  string
	cond    string
	several bool // cond is more than one condition
	values  Item
	failed  func(old Item) error
	err     error // an encoding error, reported by Commit
}

type op string

const (
	opPut    op = "put"
	opUpdate op = "update"
	opDelete op = "delete"
	opCheck  op = "check"
)

// ErrCondition is what a failed condition means when the write does not say.
var ErrCondition = fault.New(fault.Conflict, "the state has changed meanwhile")

// Put writes item, a struct with dynamodbav tags, under key.
func (t Table) Put(key Key, item any) Write {
	w := Write{op: opPut, table: t.name, key: key}
	w.item, w.err = Encode(item)
	if w.err == nil {
		maps.Copy(w.item, key.item())
	}
	return w
}

// In is the key that a write is for, and whether that is one of a table.
func (w Write) In(t Table) (Key, bool) { return w.key, w.table == t.name }

// Puts reports whether a write puts an item, and neither changes nor deletes one.
func (w Write) Puts() bool { return w.op == opPut }

// Time is a time among the attributes of the item of a put; zero if there is no such attribute.
func (w Write) Time(name string) time.Time { return w.item.Time(name) }

// Beside adds the attributes of another struct to the item of a put. An attribute that both have is an error of the
// commit.
func (w Write) Beside(more any) Write {
	added, err := Encode(more)
	if w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return w
	}
	w.item = maps.Clone(w.item)
	for name, v := range added {
		if w.item[name] != nil {
			w.err = fmt.Errorf("put %v: two values for the attribute %s", w.key, name)
		}
		w.item[name] = v
	}
	return w
}

// Update changes the item under key by an update expression. A name written #name
// stands for the attribute called name, reserved word or not.
func (t Table) Update(key Key, expr string, vals V) Write {
	w := Write{op: opUpdate, table: t.name, key: key, update: expr}
	return w.with(vals)
}

// Count counts one more in the attribute called name, on condition that it has not come to most. The item is gone some time
// after until; the zero time keeps it.
func (t Table) Count(key Key, name string, most int, until time.Time) Write {
	expr, vals := "ADD #"+name+" :one", V{":one": 1}
	if !until.IsZero() {
		expr, vals[":ttl"] = "SET #ttl = :ttl "+expr, until.Unix()
	}
	return t.Update(key, expr, vals).If("attribute_not_exists(#"+name+") OR #"+name+" < :most", V{":most": most})
}

// Delete removes the item under key.
func (t Table) Delete(key Key) Write { return Write{op: opDelete, table: t.name, key: key} }

// Check holds a transaction to a condition on an item that it does not change.
func (t Table) Check(key Key, cond string, vals V) Write {
	w := Write{op: opCheck, table: t.name, key: key}
	return w.If(cond, vals)
}

// If makes the write conditional. Conditions given one after the other must all hold.
func (w Write) If(cond string, vals V) Write {
	if strings.Contains(cond, " OR ") && w.cond != "" {
		cond = "(" + cond + ")" // DynamoDB refuses parentheses that change nothing
	}
	if w.cond != "" {
		first := w.cond
		if !w.several && strings.Contains(first, " OR ") {
			first = "(" + first + ")"
		}
		cond = first + " AND " + cond
		w.several = true
	}
	w.cond = cond
	return w.with(vals)
}

// IfAbsent is the condition that no item has the key.
func (w Write) IfAbsent() Write { return w.If("attribute_not_exists(pk)", nil) }

// Else says what a failed condition means.
func (w Write) Else(err error) Write { return w.ElseOld(func(Item) error { return err }) }

// ElseOld says what a failed condition means, given the item that is there (nil when none is).
func (w Write) ElseOld(f func(old Item) error) Write {
	w.failed = f
	return w
}

func (w Write) with(vals V) Write {
	if len(vals) == 0 {
		return w
	}
	merged := maps.Clone(w.values)
	if merged == nil {
		merged = Item{}
	}
	for name, v := range vals {
		av, err := encodeValue(v)
		if err != nil && w.err == nil {
			w.err = fmt.Errorf("value %s: %w", name, err)
		}
		merged[name] = av
	}
	w.values = merged
	return w
}

func (w Write) failure(old Item) error {
	if len(old) == 0 {
		old = nil
	}
	if w.failed != nil {
		if err := w.failed(old); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s %s %v: %w", w.op, w.table, w.key, ErrCondition)
}

func (k Key) item() Item {
	return Item{
		"pk": &types.AttributeValueMemberS{Value: k.PK},
		"sk": &types.AttributeValueMemberS{Value: k.SK},
	}
}

// names maps every #name of the expressions to its attribute.
func names(exprs ...string) map[string]string {
	var out map[string]string
	for _, e := range exprs {
		for i := strings.IndexByte(e, '#'); i >= 0; i = strings.IndexByte(e, '#') {
			e = e[i:]
			end := 1
			for end < len(e) && (e[end] == '_' || e[end] >= '0' && e[end] <= '9' || e[end]|0x20 >= 'a' && e[end]|0x20 <= 'z') {
				end++
			}
			if out == nil {
				out = map[string]string{}
			}
			out[e[:end]] = e[1:end]
			e = e[end:]
		}
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (w Write) transactItem() types.TransactWriteItem {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	switch w.op {
	case opPut:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &w.table, Item: w.item, ConditionExpression: optional(w.cond),
			ExpressionAttributeNames: names(w.cond), ExpressionAttributeValues: w.values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	case opUpdate:
		return types.TransactWriteItem{Update: &types.Update{
			TableName: &w.table, Key: w.key.item(), UpdateExpression: &w.update, ConditionExpression: optional(w.cond),
			ExpressionAttributeNames: names(w.update, w.cond), ExpressionAttributeValues: w.values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	case opDelete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &w.table, Key: w.key.item(), ConditionExpression: optional(w.cond),
			ExpressionAttributeNames: names(w.cond), ExpressionAttributeValues: w.values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	default:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &w.table, Key: w.key.item(), ConditionExpression: &w.cond,
			ExpressionAttributeNames: names(w.cond), ExpressionAttributeValues: w.values,
			ReturnValuesOnConditionCheckFailure: old,
		}}
	}
}

func (w Write) putInput() *dynamodb.PutItemInput {
	return &dynamodb.PutItemInput{
		TableName: &w.table, Item: w.item, ConditionExpression: optional(w.cond),
		ExpressionAttributeNames: names(w.cond), ExpressionAttributeValues: w.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityTotal,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

func (w Write) updateInput() *dynamodb.UpdateItemInput {
	return &dynamodb.UpdateItemInput{
		TableName: &w.table, Key: w.key.item(), UpdateExpression: &w.update, ConditionExpression: optional(w.cond),
		ExpressionAttributeNames: names(w.update, w.cond), ExpressionAttributeValues: w.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityTotal,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

func (w Write) deleteInput() *dynamodb.DeleteItemInput {
	return &dynamodb.DeleteItemInput{
		TableName: aws.String(w.table), Key: w.key.item(), ConditionExpression: optional(w.cond),
		ExpressionAttributeNames: names(w.cond), ExpressionAttributeValues: w.values,
		ReturnConsumedCapacity:              types.ReturnConsumedCapacityTotal,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}
