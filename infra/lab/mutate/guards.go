package main

// tables say what is mutated besides writes, their conditions, and each `if` and `case` that
// leaves, which is made never to fire but where it only hands on an error. A name that no
// longer exists makes the command fail, so that they cannot rot. Files are named below internal.
type tables struct {
	// calls are the checks that are made by a call, and the function of package mutant
	// that the result goes through: the check then lets everything pass.
	calls map[string]string

	// weakened are functions whose conditions also lose each of the parts that must hold
	// together.
	weakened []string

	// keys are functions that make the key under which an effect happens once.
	keys []string

	// hashes are functions that make a name or hash of what they are given. Of it, and of every
	// key of an item, each field is left out.
	hashes []string

	// keyFields are the fields that hold such a key, where it is put together in place.
	keyFields map[string]string
}

func productTables() tables {
	return tables{calls: calls(), weakened: weakened(), keys: keys(), hashes: hashes(), keyFields: keyFields()}
}

func calls() map[string]string {
	return map[string]string{
		"(merve/internal/base/actor.Actor).Owns":              "Nil",
		"(merve/internal/base/actor.Actor).MaySee":            "Nil",
		"(merve/internal/base/actor.Actor).IsStaff":           "True",
		"(merve/internal/cloud/dynamo.Item).Expired":          "False", // a passed ttl counts as deleted
		"(merve/internal/record/ledger.op).check":             "Nil",
		"(merve/internal/record/ledger.lock).expired":         "True",
		"(merve/internal/record/ledger.lock).ownedBy":         "True",
		"(*merve/internal/spine/turn.reviewer).claims":        "False", // what nothing bears out
		"merve/internal/provider/twilio.VerifyAny":            "Nil",
		"merve/internal/edge/api.fromLoopback":                "True",
		"crypto/hmac.Equal":                                   "True",
		"crypto/subtle.ConstantTimeCompare":                   "One",
		"github.com/golang-jwt/jwt/v5.WithValidMethods":       "Option",
		"github.com/golang-jwt/jwt/v5.WithIssuer":             "Option",
		"github.com/golang-jwt/jwt/v5.WithAudience":           "Option",
		"github.com/golang-jwt/jwt/v5.WithExpirationRequired": "Option",
	}
}

func weakened() []string {
	return []string{
		"base/actor/actor.go Actor.IsStaff",
		"spine/gate/gate.go answerOf",
		"record/ledger/lock.go lock.expired",
		"record/ledger/lock.go lock.ownedBy",
		"record/ledger/rules.go rule.holds",
		"spine/outbox/sender.go Sender.Deliver",
		"spine/outbox/sender.go Sender.others",
		"spine/outbox/sender.go Sender.settle",
		"spine/thread/sweep.go sweep.one",
		"spine/turn/notice.go notices.tell",
	}
}

func keys() []string {
	return []string{
		"cloud/alert/alert.go Alert.finding",
		"matter/booking/reminder.go remindedKey",
		"matter/booking/waitlist.go waitedKey",
		"matter/booking/wishes.go offerKey",
		"matter/booking/wishes.go waitID",
		"record/ledger/idempotency.go draftKey",
		"record/ledger/idempotency.go opKey",
		"record/ledger/ledger.go eventKey",
		"people/notify/notify.go key",
		"matter/order/order.go newID",
		"matter/report/report.go newID",
		"matter/taxi/taxi.go newID",
		"spine/thread/journal.go journalKey",
		"spine/thread/thread.go MessageID",
		"spine/thread/thread.go turnKey",
		"agent/tool/tool.go Key",
		"spine/turn/offers.go pendingID",
	}
}

func hashes() []string {
	return []string{
		"crypto/sha256.Sum256",
		"merve/internal/base/ident.New",
		"merve/internal/base/ident.Hash",
		"merve/internal/matter/report.hash",
	}
}

func keyFields() map[string]string {
	return map[string]string{
		"merve/internal/spine/outbox.Message": "ID",
		"merve/internal/cloud/queue.Message":  "Dedupe",
	}
}
