package actor

import (
	"errors"
	"testing"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	ann, bob := Actor{Kind: User, ID: "ann"}, Actor{Kind: User, ID: "bob"}
	sessionAnn := Actor{Kind: Session, ID: "ann"}
	staff := Actor{Kind: Staff, ID: "s", Groups: []string{"admin"}}
	tests := []struct {
		who   Actor
		owner string
		owns  bool
		sees  bool
	}{
		{ann, ann.Key(), true, true},
		{ann, bob.Key(), false, false},
		{ann, sessionAnn.Key(), false, false},
		{ann, "", false, false},
		{Actor{}, "", false, false},
		{staff, ann.Key(), false, true},
		{Actor{Kind: Staff, ID: "s"}, ann.Key(), false, false},
		{Actor{Kind: Staff, ID: "s", Groups: []string{"staff", "admins"}}, ann.Key(), false, false},
		{Actor{Kind: User, ID: "x", Groups: []string{"admin"}}, ann.Key(), false, false},
		{Actor{Kind: System}, ann.Key(), false, true},
	}
	for _, tt := range tests {
		if err := tt.who.Owns(tt.owner); (err == nil) != tt.owns {
			t.Errorf("%v Owns(%q) = %v", tt.who, tt.owner, err)
		}
		if err := tt.who.MaySee(tt.owner); (err == nil) != tt.sees || err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("%v MaySee(%q) = %v", tt.who, tt.owner, err)
		}
	}
}
