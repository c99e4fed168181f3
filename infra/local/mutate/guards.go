package main

// tables say what is mutated besides writes and their conditions. A name that no longer exists
// makes the command fail, so that they cannot rot. Files are named below internal.
type tables struct {
	// calls are the checks that are made by a call, and the function of package mutant
	// that the result goes through: the check then lets everything pass.
	calls map[string]string

	// refusals are the files, or functions of files, in which each `if` and each `case`
	// that leaves is made never to fire. What only hands on an error is left alone.
	refusals []string

	// weakened are functions whose conditions also lose each of the parts that must hold
	// together.
	weakened []string

	// keys are functions that make the key under which an effect happens once.
	keys []string

	// keyFields are the fields that hold such a key, where it is put together in place.
	keyFields map[string]string
}

func productTables() tables {
	return tables{calls: calls(), refusals: refusals(), weakened: weakened(), keys: keys(), keyFields: keyFields()}
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
		"(*merve/internal/turn.work).unsupported":             "False", // claims that nothing bears out
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

func refusals() []string {
	return []string{
		"actor/actor.go",
		"api/messenger.go Messenger.signed",
		"api/stripe.go Stripe.signed",
		"api/whatsapp.go WhatsApp.signed",
		"api/who.go",
		"booking/reminder.go",
		"desk/desk.go Desk.Return",
		"desk/desk.go Desk.Take",
		"desk/desk.go Desk.Wait",
		"desk/desk.go Desk.Write",
		"gate/gate.go",
		"ledger/confirm.go Ledger.confirmation",
		"ledger/expiry.go sweep.one",
		"ledger/hold.go Ledger.claims",
		"ledger/hold.go Ledger.hold",
		"ledger/hold.go Ledger.takeLock",
		"ledger/idempotency.go",
		"ledger/lock.go Ledger.choose",
		"ledger/noshow.go",
		"ledger/read.go",
		"ledger/release.go",
		"ledger/reschedule.go Mover.Writes",
		"ledger/rules.go",
		"ledger/settle.go",
		"ledger/tools.go Booker.cancel",
		"ledger/tools.go Booker.find",
		"ledger/waitlist.go Booker.OfferTo",
		"ledger/waitlist.go Booker.join",
		"ledger/waitlist.go Booker.leave",
		"ledger/waitlist.go Ledger.WaitingFor",
		"market/store.go Store.Save",
		"media/media.go",
		"notify/notify.go Notifier.Tell",
		"order/command.go Commands.obey",
		"order/confirm.go",
		"order/rules.go",
		"order/store.go Store.ByCode",
		"order/store.go Store.counts",
		"outbox/sender.go Message.mayBe",
		"outbox/sender.go Sender.Deliver",
		"outbox/sender.go Sender.others",
		"outbox/sender.go Sender.send",
		"outbox/sender.go Sender.sent",
		"outbox/sender.go Sender.settle",
		"outbox/status.go",
		"outbox/sweep.go Box.SendAgain",
		"payment/event.go",
		"payment/pay.go",
		"payment/refund.go",
		"payment/report.go",
		"provider/oidc/oidc.go Verifier.Verify",
		"provider/twilio/signature.go VerifyAny",
		"provider/twilio/signature.go signedParams",
		"relay/pass.go Post.meant",
		"relay/pass.go Post.pass",
		"relay/relay.go Post.booking",
		"relay/relay.go Post.order",
		"report/link.go Link.good",
		"stock/check.go",
		"taxi/broadcast.go",
		"taxi/command.go hearing.answer",
		"taxi/command.go hearing.take",
		"taxi/order.go Store.Cancel",
		"taxi/order.go Store.Request",
		"thread/lease.go",
		"thread/link.go Store.readCode",
		"thread/open.go Store.Open",
		"thread/open.go Store.Refresh",
		"thread/reach.go",
		"tool/policy.go",
		"tool/tool.go Tool.Canonical",
		"turn/budget.go work.overBudget",
		"turn/calls.go work.look",
		"turn/command.go work.command",
		"turn/commit.go work.askForYes",
		"turn/commit.go work.outbound",
		"turn/converse.go work.bound",
		"turn/frozen.go",
		"turn/role.go Roles.Route",
		"turn/run.go work.decide",
		"turn/settle.go work.doubtful",
		"turn/settle.go work.optOut",
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
		"thread/sweep.go Store.sweepOne",
		"turn/run.go work.tellNotice",
	}
}

func keys() []string {
	return []string{
		"booking/reminder.go remindedKey",
		"booking/waitlist.go waitedKey",
		"ledger/alert.go Alert.finding",
		"ledger/idempotency.go draftKey",
		"ledger/idempotency.go opKey",
		"ledger/ledger.go eventKey",
		"ledger/waitlist.go offerKey",
		"ledger/waitlist.go waitID",
		"notify/notify.go key",
		"order/order.go newID",
		"report/report.go newID",
		"taxi/taxi.go newID",
		"thread/journal.go journalKey",
		"thread/thread.go MessageID",
		"thread/thread.go turnKey",
		"tool/tool.go Key",
		"turn/calls.go pendingID",
	}
}

func keyFields() map[string]string {
	return map[string]string{
		"merve/internal/outbox.Message": "ID",
		"merve/internal/queue.Message":  "Dedupe",
	}
}
