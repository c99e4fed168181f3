package wiring

// Table is one DynamoDB table. Every table has the string keys pk and sk, the TTL
// attribute ttl, on-demand capacity and point-in-time recovery.
type Table struct {
	Name    string // logical name; functions find the real one in Env
	Env     string
	Stream  bool // new and old images
	Indexes []Index
}

// Index is a global secondary index.
type Index struct {
	Name   string
	PK     string // string
	SK     string
	Number bool // SK is a number, else a string
	All    bool // projects everything, else keys only
}

// due is the sparse index of work that a schedule looks at (see package dynamo).
var due = Index{Name: "due", PK: "dueShard", SK: "dueAt", Number: true}

// Tables are split by life cycle and by who reads the stream.
func Tables() []Table {
	return []Table{
		{Name: "conversations", Env: "TABLE_CONVERSATIONS", Stream: true, Indexes: []Index{due, {Name: "listed", PK: "listed", SK: "listedAt", Number: true}}},
		{Name: "ledger", Env: "TABLE_LEDGER", Stream: true, Indexes: []Index{
			due,
			{Name: "owner", PK: "owner", SK: "created", All: true},
			{Name: "business", PK: "business", SK: "created", All: true},
		}},
		{Name: "alerts", Env: "TABLE_ALERTS"},
		{Name: "catalog", Env: "TABLE_CATALOG", Stream: true},
		{Name: "records", Env: "TABLE_RECORDS", Stream: true, Indexes: []Index{due, {Name: "listed", PK: "listed", SK: "listedAt"}}},
	}
}
