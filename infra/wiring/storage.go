package wiring

// Bus carries events between functions by rules.
type Bus struct {
	Name string
}

// EventBus is the one bus.
func EventBus() Bus { return Bus{Name: "events"} }

// Bucket keeps files. Nobody reads it without a signed link.
type Bucket struct {
	Name           string
	OldVersions    int // days that a replaced or deleted file can be brought back
	UnfinishedDays int // days after which an upload that was never finished is dropped
}

// Media is the bucket of photos, documents and recordings.
func Media() Bucket { return Bucket{Name: "media", OldVersions: 30, UnfinishedDays: 7} }
