package order

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// Codes are on paper and in chats: the same thing has the same code for good.
func TestCodesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for i := range 5000 {
		fmt.Fprintln(&all, newCode(fmt.Sprint("or_", i), i%maxCodes))
	}
	codes := strings.Fields(all.String())
	if got, want := fmt.Sprint(codes[:4]), "[S8AS 2E3Y R7EW BGY5]"; got != want {
		t.Errorf("codes %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256([]byte(all.String()))), "ff832c56d27a72adfaa223e9fbdb11b94dd619ff5ca6e65958e210564748e95e"; got != want {
		t.Errorf("hash of codes %s, want %s", got, want)
	}
}
