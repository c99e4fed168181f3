package taxi

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
		fmt.Fprintln(&all, strings.Join(codesOf(fmt.Sprint("tx_", i)), " "))
	}
	codes := strings.Fields(all.String())
	if got, want := fmt.Sprint(codes[:4]), "[37KY 9FTC FJ34 F7RC]"; got != want {
		t.Errorf("codes %s, want %s", got, want)
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256([]byte(all.String()))), "c9491a30bcebb687e4c20a8aa2ba35e93b7e709073695e0b7f7be53d8d80af80"; got != want {
		t.Errorf("hash of codes %s, want %s", got, want)
	}
}
