package wiring

// planFunctions are those of the plan engine. They are one program: what each does follows from the events
// of a plan, which all of them read. Whoever appends an event goes on with what follows, so most of them
// only find that it has been done; they are there for what a process that died has left.
func planFunctions() []Function {
	of := func(name, doc string, f Function) Function {
		f.Name, f.Doc = name, doc
		f.Tables = []Grant{readsAndWrites("conversations"), reads("catalog"), {Table: "records", Actions: []Action{GetItem, UpdateItem}}}
		f.Secrets = []string{"OPENAI_API_KEY"}
		f.Media = true // results that are too large for an event
		f.Sends = plansFrom()
		if name == "worker-rag" {
			f.Sends = []string{"plan-events"}
		}
		f.Settings = join(f.Settings, []string{"OPENAI_BASE_URL", "OPENAI_MODEL", "GUARD_MODEL"}, weather())
		return f
	}
	worker := func(name, doc string) Function {
		return of(name, doc, Function{Memory: 256, Timeout: 45, Queue: &QueueTrigger{Queue: name, Batch: 1, Parallel: 20, PartialFailures: true}})
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
	rag := worker("worker-rag", "finds products by what a question means")
	rag.Memory = 1024 // its processor time grows with it
	rag.Settings = append(rag.Settings, "OPENAI_EMBEDDING_MODEL", "MINILM_DIR")
	return []Function{
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
		worker("worker-math", "runs the steps that compute"),
		worker("worker-weather", "runs the steps that ask for the weather"),
		rag,
		worker("worker-general-chat", "runs the steps that talk"),
		of("collection", "looks after plans whose process has died, and closes those that got too old", Function{
			Memory: 256, Timeout: 50, Schedule: every(60),
		}),
	}
}

// plansFrom are the queues of a function that drives plans: the timers of steps, and the worker that is a program of its
// own.
func plansFrom() []string { return []string{"plan-events", "worker-rag"} }
