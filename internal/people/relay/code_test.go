package relay

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
		fmt.Fprintln(&all, codeOf(Talk{Thread: fmt.Sprint("th_", i), Business: "b"}, i%20))
	}
	codes := strings.Fields(all.String())
	if got, want := fmt.Sprint(codes[:4]), "[PDYZ5 KR8P6 KFVM6 RRHF2]"; got != want {
		t.Errorf("codes %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256([]byte(all.String()))), "d2b7928e61aeaef05e301bd04ba1962479ef4e432eacb565e348220ca5eda331"; got != want {
		t.Errorf("hash of codes %s, want %s", got, want)
	}
}
