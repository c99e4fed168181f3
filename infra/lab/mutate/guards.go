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
		"(merve/internal/actor.Actor).Owns":                   "Nil",
		"(merve/internal/actor.Actor).MaySee":                 "Nil",
		"(merve/internal/actor.Actor).IsStaff":                "True",
		"(merve/internal/dynamo.Item).Expired":                "False", // a passed ttl counts as deleted
		"(merve/internal/ledger.op).check":                    "Nil",
		"(merve/internal/ledger.lock).expired":                "True",
		"(merve/internal/ledger.lock).ownedBy":                "True",
		"(*merve/internal/turn.work).claims":                  "False", // what nothing bears out
		"merve/internal/provider/twilio.VerifyAny":            "Nil",
		"merve/internal/api.fromLoopback":                     "True",
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
		"actor/actor.go Actor.IsStaff",
		"gate/gate.go answerOf",
		"ledger/lock.go lock.expired",
		"ledger/lock.go lock.ownedBy",
		"ledger/rules.go op.check",
		"outbox/sender.go Sender.Deliver",
		"outbox/sender.go Sender.others",
		"outbox/sender.go Sender.settle",
		"thread/sweep.go Store.sweepOne",
		"turn/notice.go work.tellNotice",
	}
}

func keys() []string {
	return []string{
		"alert/alert.go Alert.finding",
		"booking/reminder.go remindedKey",
		"booking/waitlist.go waitedKey",
		"booking/wishes.go offerKey",
		"booking/wishes.go waitID",
		"ledger/idempotency.go draftKey",
		"ledger/idempotency.go opKey",
		"ledger/ledger.go eventKey",
		"notify/notify.go key",
		"order/order.go newID",
		"report/report.go newID",
		"taxi/taxi.go newID",
		"thread/journal.go journalKey",
		"thread/thread.go MessageID",
		"thread/thread.go turnKey",
		"tool/tool.go Key",
		"turn/propose.go pendingID",
	}
}

func hashes() []string {
	return []string{
		"crypto/sha256.Sum256",
		"merve/internal/ident.New",
		"merve/internal/ident.Hash",
		"merve/internal/report.hash",
	}
}

func keyFields() map[string]string {
	return map[string]string{
		"merve/internal/outbox.Message": "ID",
		"merve/internal/queue.Message":  "Dedupe",
	}
}
