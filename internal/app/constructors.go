package app

import "merve/internal/cloud/trigger"

// Constructors are all functions by their name in the wiring, for those who run several in one process. Elsewhere is what
// [Chat] needs. A Lambda names its own, so that it holds nothing of the others.
func Constructors(elsewhere map[string][]string) map[string]func(*Base) (trigger.Handler, error) {
	return workers(map[string]func(*Base) (trigger.Handler, error){
		"chat": Chat(elsewhere), "whatsapp": WhatsApp, "turn": Turn, "notify": Notify, "sender": Sender,
		"sara": Sara, "messenger": Messenger, "records": Records, "index": Index, "stripe": Stripe,
		"expiry": Expiry, "invariants": Invariants, "sweep": Sweep, "admin": Admin,
		"live": Live, "liveapi": LiveAPI, "liveturn": LiveTurn,
		"planapi": PlanAPI, "publisher": Publisher, "router": Router, "orchestrator": Orchestrator, "aggregator": Aggregator, "collection": Collection,
		"marketplace": Marketplace, "outreach": Outreach, "ocr": OCR(nil),
		"worker-rag": WorkerRag,
	})
}
