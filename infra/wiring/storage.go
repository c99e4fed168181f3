package wiring

// Bucket keeps files. Nobody reads it without a signed link.
type Bucket struct {
	Name   string
	Env    string // variable with its real name, for functions that use it
	Expire []Expiry
}

// Expiry deletes objects below a prefix at a certain age.
type Expiry struct {
	Prefix string
	Days   int
}

// Media is the bucket of photos, and of the plan engine's large results. It keeps no old versions: who wants their photos
// deleted has them deleted.
func Media() Bucket {
	return Bucket{Name: "media", Env: "MEDIA_BUCKET", Expire: []Expiry{
		{Prefix: "pending/", Days: 1}, // uploads that nobody has examined
		{Prefix: "results/", Days: 8}, // a day longer than the events that name them
	}}
}
