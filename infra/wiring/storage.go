package wiring

// Bucket keeps files. Nobody reads it without a signed link.
type Bucket struct {
	Name        string
	Env         string // variable with its real name, for functions that use it
	Pending     string // what is below this prefix was uploaded and examined by nobody
	PendingDays int    // and is deleted after this
}

// Media is the bucket of photos. It keeps no old versions: who wants their photos deleted
// has them deleted.
func Media() Bucket {
	return Bucket{Name: "media", Env: "MEDIA_BUCKET", Pending: "pending/", PendingDays: 1}
}
