package ledger

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
		fmt.Fprintln(&all, codeOf(fmt.Sprint("tx_", i)))
	}
	codes := strings.Fields(all.String())
	if got, want := fmt.Sprint(codes[:4]), "[Z859F7 2ZNZRK 8PFS3W SV2RS8]"; got != want {
		t.Errorf("codes %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256([]byte(all.String()))), "178201dfefebbf50a550c8970bb237eafd7b76c24d528a23411f85e0202ccb80"; got != want {
		t.Errorf("hash of codes %s, want %s", got, want)
	}
}
