package request

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/words/language"
)

// domain is how the names of the tools for requests begin.
const domain = "marketplace."

// The tools by name.
const (
	SearchVendors      = domain + "search_vendors"
	GetRequestSnapshot = domain + "get_request_snapshot"
	SendClientMessage  = domain + "send_client_message"
	SendVendorMessage  = domain + "send_vendor_message"
	RecordVendorReply  = domain + "record_vendor_reply"
	CreateOCRJob       = domain + "create_ocr_job"
	GetOCRResult       = domain + "get_ocr_result"
	UpdateRequestState = domain + "update_request_state"
	RequestCallConsent = domain + "request_call_consent"
	StartCall          = domain + "start_call"
	RevokeCallConsent  = domain + "revoke_call_consent"

	CreateRequest      = domain + "create_request" // by a model in a turn only: elsewhere the desk makes requests
	UpdateRequirements = domain + "update_requirements"
	ProposeOutreach    = domain + "propose_outreach"
	ProposeAcceptance  = domain + "propose_acceptance"
)

// operations are what the tools do. Effects are those that models know them by.
func (b *Broker) operations() map[string]operation {
	return map[string]operation{
		SearchVendors:      {effect: tool.Read, run: b.searchVendors},
		GetRequestSnapshot: {effect: tool.Read, run: b.getSnapshot},
		SendClientMessage:  {effect: tool.Commit, run: b.letters().sendClientMessage},
		SendVendorMessage:  {effect: tool.Propose, run: b.letters().sendVendorMessage},
		RecordVendorReply:  {effect: tool.Commit, outside: true, run: b.replies().recordVendorReply},
		CreateOCRJob:       {effect: tool.Commit, run: b.replies().createJob},
		GetOCRResult:       {effect: tool.Read, run: b.replies().getJob},
		UpdateRequestState: {effect: tool.Propose, run: b.moves().updateState},
		UpdateRequirements: {effect: tool.Propose, run: b.moves().updateRequirements},
		ProposeOutreach:    {effect: tool.Propose, run: b.offers().proposeOutreach},
		ProposeAcceptance:  {effect: tool.Propose, run: b.offers().proposeAcceptance},
		WebSearchItems:     {effect: tool.Read, outside: true, reserve: b.searches().reserveWeb, run: b.searches().discover},
		SocialProfileItems: {effect: tool.Read, outside: true, reserve: b.searches().reserveWeb, run: b.searches().discover},
		MapsPlacesItems: {
			effect: tool.Read, outside: true, reserve: b.searches().reserveMaps, run: b.searches().discoverPlaces, show: b.searches().showPlaces,
		},
		RequestCallConsent: {effect: tool.Propose, run: b.consents().requestCallConsent},
		StartCall:          {effect: tool.Commit, outside: true, run: b.consents().startCall},
		RevokeCallConsent:  {effect: tool.Propose, run: b.consents().revokeCallConsent},
	}
}

// find is the tool of a name, which may leave the domain out.
func (b *Broker) find(name string) (string, operation, bool) {
	if !strings.Contains(name, ".") {
		name = domain + name
	}
	op, ok := b.operations()[name]
	return name, op, ok
}

// The inputs of the tools, as programs and models fill them in. See [tool.New] for what the tag model says.

// SearchInput asks for vendors.
type SearchInput struct {
	Request  string `json:"request_id" jsonschema:"id of the request"`
	Category string `json:"category" jsonschema:"kind of vendor, in one to three English words, such as: generator rental"`
	Filters  struct {
		RadiusKM  *float64 `json:"location_radius_km,omitempty" jsonschema:"how far they may be from the place of the request, in km; null for any"`
		MinRating *float64 `json:"min_rating,omitempty" jsonschema:"0 to 5; null for any"`
		Tags      []string `json:"tags,omitzero" model:",null" jsonschema:"tags that they must have; null for any"`
	} `json:"filters" model:",inline"`
	Limit *int `json:"limit,omitempty" jsonschema:"how many, 1 to 15; null for 5"`
}

// RequestInput names a request.
type RequestInput struct {
	Request string `json:"request_id" jsonschema:"id of the request"`
}

// ClientMessage is a message to the client.
type ClientMessage struct {
	Request string   `json:"request_id"`
	Message string   `json:"message"`
	Key     string   `json:"idempotency_key"`
	Type    string   `json:"message_type"`
	Options []string `json:"interactive_options"`
}

// VendorMessage is a message to a vendor.
type VendorMessage struct {
	Request string `json:"request_id" jsonschema:"id of the request"`
	Vendor  string `json:"vendor_id" jsonschema:"id of the vendor"`
	Message string `json:"message" jsonschema:"the whole message of the customer that is meant for them, exactly as it was written"`
	Key     string `json:"idempotency_key" model:"-"`
}

// VendorReply is a vendor's answer.
type VendorReply struct {
	Request string        `json:"request_id"`
	Vendor  string        `json:"vendor_id"`
	Message string        `json:"message"`
	ID      string        `json:"provider_message_id"`
	Parsed  *quote.Parsed `json:"parsed_data"`
}

// StateInput asks for another state.
type StateInput struct {
	Request  string `json:"request_id" jsonschema:"id of the request"`
	State    State  `json:"new_state" jsonschema:"clarifying, searching, presented, fulfilled or cancelled"`
	Reason   string `json:"reason" model:",null" jsonschema:"why; null for none"`
	Fallback string `json:"fallback_message" model:"-"`
}

// RequirementsInput changes requirements: each name that is given, null takes one away. A model gives those that stand below by
// themselves.
type RequirementsInput struct {
	Request      string         `json:"request_id" jsonschema:"id of the request"`
	Category     string         `json:"category" model:"-"`
	Requirements map[string]any `json:"requirements" model:"-"`

	Need   *string  `json:"-" model:"need" jsonschema:"what is needed, if that has changed; null if not"`
	Place  *string  `json:"-" model:"place" jsonschema:"where it is needed; null when not said"`
	When   *string  `json:"-" model:"when" jsonschema:"when it is needed; null when not said"`
	Budget *float64 `json:"-" model:"budget" jsonschema:"the most that they would pay; null when not said"`
}

// OutreachInput proposes to ask vendors.
type OutreachInput struct {
	Request string   `json:"request_id" jsonschema:"id of the request"`
	Vendors []string `json:"vendor_ids" jsonschema:"ids of the vendors to ask, as the search gave them; 1 to 15"`
}

// AcceptanceInput proposes to accept a quote.
type AcceptanceInput struct {
	Request  string `json:"request_id" jsonschema:"id of the request"`
	Outreach string `json:"outreach_id" jsonschema:"id of the outreach whose quote is meant, as the snapshot gave it"`
}

// Limits of inputs.
const (
	usualVendors = 5
	maxOptions   = 3
	maxOption    = 20 // characters of a button
	maxReason    = 300
	maxMessageID = 128
)

// input is what a tool is called with. An error of check names the field that is wrong.
type input interface{ check(c *call) error }

// asked is the input of a tool that models have.
type asked interface {
	input
	about() string // the request
}

func (in SearchInput) about() string       { return in.Request }
func (in RequestInput) about() string      { return in.Request }
func (in VendorMessage) about() string     { return in.Request }
func (in StateInput) about() string        { return in.Request }
func (in RequirementsInput) about() string { return in.Request }
func (in OutreachInput) about() string     { return in.Request }
func (in AcceptanceInput) about() string   { return in.Request }
func (in ConsentInput) about() string      { return in.Request }
func (in RevokeInput) about() string       { return in.Request }
func (in DiscoverInput) about() string     { return in.Post }
func (in PlacesInput) about() string       { return in.Post }

// read decodes and checks the input of a call. The error names the field that is wrong.
func read[I input](c *call) (I, error) {
	var in I
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return in, fault.WrongForm(err)
	}
	return in, in.check(c)
}

// same holds what the input repeats of the meta to it.
func (c *call) same(request, key string) error {
	switch {
	case request == "":
		return fault.Field("request_id", "missing")
	case request != c.Meta.Request:
		return fault.Field("request_id", "is another than in the meta")
	case key != "" && key != c.Meta.Key:
		return fault.Field("idempotency_key", "is another than in the meta")
	}
	return nil
}

// text holds a text that has to be there to its length.
func text(field, s string, most int) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(s)); n == 0 || n > most || !utf8.ValidString(s) {
		return fault.Field(field, "want 1 to %d characters", most)
	}
	return nil
}

func (in RequestInput) check(c *call) error { return c.same(in.Request, "") }

func (in RequirementsInput) check(c *call) error { return c.same(in.Request, "") }

func (in AcceptanceInput) check(c *call) error { return c.same(in.Request, "") }

func (in SearchInput) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	if err := text("category", in.Category, vendor.MaxCategory); err != nil {
		return err
	}
	f := in.Filters
	switch {
	case in.Limit != nil && (*in.Limit < 1 || *in.Limit > MaxVendors):
		return fault.Field("limit", "want 1 to %d", MaxVendors)
	case f.RadiusKM != nil && *f.RadiusKM <= 0:
		return fault.Field("filters.location_radius_km", "want more than 0")
	case f.RadiusKM != nil && c.view.Requirements.Location() == nil:
		return fault.Field("filters.location_radius_km", "the requirements have no location to count from")
	case f.MinRating != nil && (*f.MinRating < 0 || *f.MinRating > vendor.MaxRating):
		return fault.Field("filters.min_rating", "want 0 to %d", vendor.MaxRating)
	case len(f.Tags) > vendor.MaxTags:
		return fault.Field("filters.tags", "at most %d", vendor.MaxTags)
	}
	return nil
}

func (in ClientMessage) check(c *call) error {
	if err := c.same(in.Request, in.Key); err != nil {
		return err
	}
	if err := text("message", in.Message, MaxText); err != nil {
		return err
	}
	switch {
	case in.Key == "":
		return fault.Field("idempotency_key", "missing")
	case in.Type != "" && in.Type != "text" && in.Type != "interactive":
		return fault.Field("message_type", "want text or interactive")
	case in.Type != "interactive" && len(in.Options) > 0:
		return fault.Field("interactive_options", "are for the message_type interactive")
	case in.Type == "interactive" && (len(in.Options) == 0 || len(in.Options) > maxOptions):
		return fault.Field("interactive_options", "want 1 to %d", maxOptions)
	}
	for i, o := range in.Options {
		if text("", o, maxOption) != nil || slices.Contains(in.Options[:i], o) {
			return fault.Field("interactive_options", "want different ones of 1 to %d characters", maxOption)
		}
	}
	return nil
}

func (in VendorMessage) check(c *call) error {
	if err := c.same(in.Request, in.Key); err != nil {
		return err
	}
	switch {
	case in.Vendor == "":
		return fault.Field("vendor_id", "missing")
	case in.Key == "":
		return fault.Field("idempotency_key", "missing")
	}
	return text("message", in.Message, MaxText)
}

func (in VendorReply) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	switch {
	case in.Vendor == "":
		return fault.Field("vendor_id", "missing")
	case in.ID == "" || len(in.ID) > maxMessageID:
		return fault.Field("provider_message_id", "want 1 to %d characters", maxMessageID)
	}
	if err := text("message", in.Message, 4*MaxText); err != nil {
		return err
	}
	return in.Parsed.Check(c.view.Currency)
}

func (in StateInput) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	switch {
	case !slices.Contains(States(), in.State):
		return fault.Field("new_state", "want one of %s", names(States()))
	case utf8.RuneCountInString(in.Reason) > maxReason:
		return fault.Field("reason", "at most %d characters", maxReason)
	case in.Fallback != "" && in.State != Error:
		return fault.Field("fallback_message", "is for the state error")
	case in.Fallback != "":
		return text("fallback_message", in.Fallback, MaxText)
	}
	return nil
}

func (in OutreachInput) check(c *call) error {
	if err := c.same(in.Request, ""); err != nil {
		return err
	}
	if len(in.Vendors) == 0 || len(in.Vendors) > MaxVendors {
		return fault.Field("vendor_ids", "want 1 to %d", MaxVendors)
	}
	for i, id := range in.Vendors {
		if id == "" || slices.Contains(in.Vendors[:i], id) {
			return fault.Field("vendor_ids", "want different ids")
		}
	}
	return nil
}

// clip shortens a text of somebody else to a length at which it can be shown.
func clip(s string, most int) string { return language.Clip(strings.TrimSpace(s), most) }
