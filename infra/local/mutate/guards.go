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
		"booking/booking.go and",
		"booking/booking.go cancelRefusal",
		"booking/booking.go price",
		"booking/booking.go refusal",
		"booking/reminder.go",
		"channel/channel.go",
		"desk/desk.go",
		"gate/answer.go",
		"gate/gate.go",
		"gate/optout.go",
		"gate/words.go",
		"ledger/confirm.go",
		"ledger/draft.go Ledger.OfferUntil",
		"ledger/expiry.go",
		"ledger/hold.go Ledger.claims",
		"ledger/hold.go Ledger.hold",
		"ledger/hold.go Ledger.takeLock",
		"ledger/hold.go Ledger.takeOver",
		"ledger/hold.go Ledger.tryTake",
		"ledger/idempotency.go",
		"ledger/invariants.go audit.healOrphans",
		"ledger/invariants.go confirmedOnce",
		"ledger/lock.go Ledger.choose",
		"ledger/lock.go room",
		"ledger/noshow.go",
		"ledger/read.go",
		"ledger/release.go",
		"ledger/reschedule.go Mover.Writes",
		"ledger/rules.go",
		"ledger/settle.go",
		"ledger/tools.go Booker.cancel",
		"ledger/tools.go Booker.find",
		"ledger/tools.go Booker.list",
		"ledger/tools.go Booker.refusal",
		"ledger/tools.go holdFor",
		"ledger/tools.go localTimes",
		"ledger/waitlist.go",
		"market/store.go Store.Save",
		"media/media.go",
		"notify/notify.go Notifier.Tell",
		"order/command.go Commands.obey",
		"order/confirm.go",
		"order/rules.go",
		"order/store.go Store.ByCode",
		"order/store.go Store.counts",
		"outbox/outbox.go Box.AboutOf",
		"outbox/outbox.go Box.Get",
		"outbox/outbox.go Box.PendingOf",
		"outbox/outbox.go Box.all",
		"outbox/outbox.go breakAt",
		"outbox/sender.go Message.mayBe",
		"outbox/sender.go Sender.Deliver",
		"outbox/sender.go Sender.giveUp",
		"outbox/sender.go Sender.others",
		"outbox/sender.go Sender.send",
		"outbox/sender.go Sender.sent",
		"outbox/sender.go Sender.settle",
		"outbox/status.go",
		"outbox/sweep.go",
		"outbox/template.go",
		"payment/account.go",
		"payment/event.go",
		"payment/pay.go",
		"payment/payment.go",
		"payment/refund.go",
		"payment/report.go",
		"payment/tell.go",
		"payment/tools.go",
		"payment/words.go",
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
		"thread/activity.go Head.Standing",
		"thread/activity.go Head.Waits",
		"thread/append.go Store.headUpdate",
		"thread/append.go headChange.write",
		"thread/commit.go",
		"thread/history.go Store.LinesBefore",
		"thread/history.go answering",
		"thread/history.go parseCursor",
		"thread/journal.go",
		"thread/lease.go",
		"thread/link.go",
		"thread/list.go Head.stands",
		"thread/open.go",
		"thread/reach.go",
		"thread/thread.go Pending.Question",
		"tool/policy.go",
		"tool/tool.go Tool.Canonical",
		"turn/audit.go Runner.EraseAudit",
		"turn/brief.go work.profile",
		"turn/brief.go work.remembered",
		"turn/brief.go work.wordsOf",
		"turn/budget.go work.overBudget",
		"turn/calls.go work.look",
		"turn/calls.go work.propose",
		"turn/calls.go work.resolveOne",
		"turn/calls.go work.take",
		"turn/command.go",
		"turn/commit.go originOf",
		"turn/commit.go work.askForYes",
		"turn/commit.go work.from",
		"turn/commit.go work.outbound",
		"turn/commit.go work.template",
		"turn/converse.go work.accept",
		"turn/converse.go work.bound",
		"turn/converse.go work.converse",
		"turn/converse.go work.keep",
		"turn/digest.go",
		"turn/frozen.go",
		"turn/odd.go work.odd",
		"turn/photos.go",
		"turn/role.go",
		"turn/run.go work.decide",
		"turn/run.go work.tellNotice",
		"turn/settle.go work.confirm",
		"turn/settle.go work.doubtful",
		"turn/settle.go work.gate",
		"turn/settle.go work.lapse",
		"turn/settle.go work.obeys",
		"turn/settle.go work.optOut",
		"turn/settle.go work.remind",
		"turn/settle.go work.withdraw",
		"turn/turn.go Runner.await",
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
