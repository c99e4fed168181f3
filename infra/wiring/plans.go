package wiring

import "merve/internal/plan/worker/kind"

// planFunctions lists the functions of the plan engine. They are one program: each reads the events of a plan,
// which decide what it does. The function that appends an event carries on with the next step, so most others
// only find that the step has been done. They are there to continue after a process that died.
func planFunctions() []Function {
	of := func(name, doc string, f Function) Function {
		f.Name, f.Doc = name, doc
		f.Tables = []Grant{readsAndWrites("conversations"), reads("catalog"), {Table: "records", Actions: []Action{GetItem, UpdateItem}}}
		f.Secrets = []string{"OPENAI_API_KEY"}
		f.Media = true // results that are too large for an event
		f.Sends = plansFrom()
		f.Settings = join(f.Settings, []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "GUARD_MODEL"}, weather())
		return f
	}
	api := of("planapi", "takes questions in several parts, answers them, and shows how", Function{
		Memory: 256, Timeout: 29, // a gateway waits 30 s and no longer
		Routes: []Route{
			{Method: "POST", Path: "/api/chat"},
			{Method: "DELETE", Path: "/api/chat/reset"},
			{Method: "GET", Path: "/api/chat/{conversationId}/trace"},
			{Method: "GET", Path: "/trace/{conversationId}", Undocumented: true},
			{Method: "GET", Path: "/trace/static/{file}", Undocumented: true},
		},
		Settings: join(auth(), []string{"GATEWAY_TIMEOUT"}),
	})
	return append(workers(of), []Function{
		api,
		{
			Name: "publisher", Doc: "publishes the events of plans as they are stored",
			Memory: 256, Timeout: 30,
			Stream: stream("conversations", "plan#", "dead-letter-queue"),
			Tables: []Grant{raises()},
			Sends:  []string{"user-commands"},
			Puts:   []string{"conversation-events", "tool-invocation-requests", "bot_output_events"},
		},
		of("router", "plans questions that nobody has planned", Function{
			Memory: 256, Timeout: 60, Queue: &QueueTrigger{Queue: "user-commands", Batch: 1, PartialFailures: true},
		}),
		of("orchestrator", "goes on with plans to which something has happened", Function{
			Memory: 256, Timeout: 45, Queue: &QueueTrigger{Queue: "plan-events", Batch: 1, Parallel: 20, PartialFailures: true},
		}),
		of("aggregator", "writes answers that nobody has written", Function{
			Memory: 256, Timeout: 45, Queue: &QueueTrigger{Queue: "plan-answers", Batch: 1, Parallel: 20, PartialFailures: true},
		}),
		of("collection", "looks after plans whose process has died, and closes those that got too old", Function{
			Memory: 256, Timeout: 50, Schedule: every(60),
		}),
	}...)
}

// workers returns the functions that run the steps of plans, one for each kind. A worker of its own has the memory for
// its load; processor time grows with memory.
func workers(of func(name, doc string, f Function) Function) []Function {
	var fs []Function
	for _, k := range kind.All() {
		f := of(k.Name(), k.Runs, Function{
			Program: k.Runner(), Memory: 256, Timeout: 45, Queue: &QueueTrigger{Queue: k.Name(), Batch: 1, Parallel: 20, PartialFailures: true},
		})
		if k.Apart {
			f.Memory, f.Sends = 1024, []string{"plan-events"}
			f.Settings = append(f.Settings, "OPENAI_EMBEDDING_MODEL", "MINILM_DIR")
		}
		fs = append(fs, f)
	}
	return fs
}

// plansFrom are the queues of a function that drives plans: the timers of steps, and the workers that are programs of
// their own.
func plansFrom() []string {
	queues := []string{"plan-events"}
	for _, k := range kind.All() {
		if k.Apart {
			queues = append(queues, k.Name())
		}
	}
	return queues
}
