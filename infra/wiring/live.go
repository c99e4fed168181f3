package wiring

// PostsEnv is the variable with the address for writing to connections of the WebSocket API.
const PostsEnv = "LIVE_ENDPOINT"

// SocketPath is where clients connect to the WebSocket API on one machine. In the cloud it has a domain of its own.
const SocketPath = "/live"

// liveFunctions returns the functions of live conversations.
func liveFunctions() []Function {
	return []Function{
		{
			Name: "live", Doc: "takes what clients send by sockets",
			Memory: 256, Timeout: 15, // a client waits for its connection
			Sockets:  true,
			Tables:   []Grant{readsAndWrites("conversations"), readsAndWrites("catalog"), readsAndWrites("records")},
			Sends:    []string{"live", "turns"},
			Posts:    true,
			Settings: auth(),
		},
		{
			Name: "liveapi", Doc: "answers live conversations by request",
			Memory: 256, Timeout: 29,
			Routes: []Route{
				{Method: "GET", Path: "/live", Undocumented: true},
				{Method: "GET", Path: "/live/static/{file}", Undocumented: true},
				{Method: "GET", Path: "/api/conversations/{id}/health"},
				{Method: "GET", Path: "/api/conversations/{id}/state"},
				{Method: "GET", Path: "/api/conversations/{id}/summary"},
				{Method: "GET", Path: "/api/conversations/{id}/debug"},
				{Method: "POST", Path: "/api/conversations/{id}/message"},
				{Method: "POST", Path: "/api/conversations/{id}/resync"},
				{Method: "POST", Path: "/api/conversations/{id}/reset"},
				{Method: "POST", Path: "/api/conversations/{id}/rtk-token"},
				{Method: "GET", Path: "/api/v2/conversations/{id}/health"},
				{Method: "GET", Path: "/api/v2/conversations/{id}/state"},
				{Method: "GET", Path: "/api/v2/conversations/{id}/summary"},
				{Method: "GET", Path: "/api/v2/conversations/{id}/debug"},
				{Method: "POST", Path: "/api/v2/conversations/{id}/message"},
				{Method: "POST", Path: "/api/v2/conversations/{id}/resync"},
				{Method: "POST", Path: "/api/v2/conversations/{id}/reset"},
				{Method: "POST", Path: "/api/v2/conversations/{id}/rtk-token"},
			},
			Tables: turnTables(),
			Media:  true,
			Sends:  join([]string{"live", "turns"}, plansFrom()),
			Posts:  true,
			Secrets: []string{
				"OPENAI_API_KEY", "MAPBOX_TOKEN", "TWILIO_AUTH_TOKEN", "TYPESENSE_API_KEY", "STRIPE_SECRET_KEY", "REALTIMEKIT_API_TOKEN",
				"GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY",
			},
			Settings: join(model(), auth(), tools(), weather(), live(), []string{
				"GATEWAY_TIMEOUT", "LIVE_URL", "REALTIMEKIT_ACCOUNT_ID", "REALTIMEKIT_APP_ID", "REALTIMEKIT_PRESET", "REALTIMEKIT_BASE_URL",
			}),
		},
		{
			Name: "liveturn", Doc: "answers live conversations while it thinks",
			Memory: 256, Timeout: 120,
			Queue:    &QueueTrigger{Queue: "live", Batch: 1, Parallel: 100, PartialFailures: true},
			Tables:   turnTables(),
			Media:    true,
			Sends:    join([]string{"live", "turns"}, plansFrom()),
			Posts:    true,
			Secrets:  []string{"OPENAI_API_KEY", "MAPBOX_TOKEN", "TWILIO_AUTH_TOKEN", "TYPESENSE_API_KEY", "STRIPE_SECRET_KEY", "GEMINI_API_KEY", "GOOGLE_PLACES_API_KEY"},
			Settings: join(model(), tools(), weather(), live()),
		},
	}
}
