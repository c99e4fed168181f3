// Package kind lists the workers of plans. It imports nothing of Merve, so that the tools of a plan, the functions that run
// them, and the functions, queues and rules of the cloud all come from one list.
package kind

import "strings"

// Kind is one kind of worker.
type Kind struct {
	Tool string // the tool's name, as a plan's steps have it
	Does string // what the tool does, as the router is told
	Runs string // what the worker's function does, for readers of the list of functions

	// Apart is set for a worker that is a program of its own: it carries what no other program has, so no other runs
	// its steps.
	Apart bool
}

// All are the workers, in the order in which a router is told of them.
func All() []Kind {
	return []Kind{
		{Tool: "math", Does: "Computes exactly: sums, percentages, powers, and word problems.", Runs: "runs the steps that compute"},
		{Tool: "weather", Does: "Tells the weather at a place, now or on one of the next days.", Runs: "runs the steps that ask for the weather"},
		{Tool: "rag", Does: "Finds products of the electronics shop with their prices and properties.", Runs: "finds products by what a question means", Apart: true},
		{Tool: "general_chat", Does: "Talks: small talk, opinions, explanations, and whatever no other tool does.", Runs: "runs the steps that talk"},
	}
}

// Program is the folder of functions/ with the program of workers that have none of their own.
const Program = "worker"

// Name is the name of the worker's function, queue and rule: worker-general-chat.
func (k Kind) Name() string { return "worker-" + strings.ReplaceAll(k.Tool, "_", "-") }

// Env is the variable with the address of the worker's queue: WORKER_GENERAL_CHAT_QUEUE_URL.
func (k Kind) Env() string { return "WORKER_" + strings.ToUpper(k.Tool) + "_QUEUE_URL" }

// Runner is the folder of functions/ with the worker's program.
func (k Kind) Runner() string {
	if k.Apart {
		return k.Name()
	}
	return Program
}
