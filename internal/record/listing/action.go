package listing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"merve/internal/base/fault"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Integration says what Merve may do with a listing, and where its messages go.
type Integration struct {
	Enabled  bool     `dynamodbav:"enabled" json:"enabled"`
	WhatsApp string   `dynamodbav:"whatsapp,omitempty" json:"whatsappE164,omitempty"` // E.164; where an action names no other
	Language string   `dynamodbav:"language,omitempty" json:"language,omitempty"`     // the business's own
	Coverage []string `dynamodbav:"coverage,omitempty" json:"coverage,omitempty"`     // districts served; empty is everywhere
	Actions  []Action `dynamodbav:"actions,omitempty" json:"actions,omitempty"`
	Contact  bool     `dynamodbav:"requireContact,omitempty" json:"requireContact,omitempty"` // nothing is taken from whom nobody knows name and number of

	// The older form of actions: one type for the whole listing, and one template. It is read
	// and turned into actions; it is never stored.
	ToolType         string `dynamodbav:"-" json:"toolType,omitempty"` // restaurant, provider, activity or stay
	DispatchTemplate string `dynamodbav:"-" json:"dispatchTemplate,omitempty"`
}

// Action is one thing that can be done with a listing.
type Action struct {
	Type     string   `dynamodbav:"type" json:"type"`
	Enabled  bool     `dynamodbav:"enabled" json:"enabled"`
	Dispatch Dispatch `dynamodbav:"dispatch" json:"dispatch"`
	DataKind DataKind `dynamodbav:"dataKind,omitempty" json:"dataKind,omitempty"` // of the listing's items that it is about
	Tags     []string `dynamodbav:"tags,omitempty" json:"tags,omitempty"`
	Notes    string   `dynamodbav:"notes,omitempty" json:"notes,omitempty"` // for those who edit it
}

// Dispatch is where the messages of an action go and what they say.
type Dispatch struct {
	ToE164    string            `dynamodbav:"to,omitempty" json:"toE164,omitempty"`           // wins over the listing's
	Template  string            `dynamodbav:"template,omitempty" json:"template,omitempty"`   // of what it tells first; wins over the market's
	Templates map[string]string `dynamodbav:"templates,omitempty" json:"templates,omitempty"` // of others, by event
}

// The types of actions.
const (
	BookAction    = "book"             // a time, nights or a ticket, held in the ledger
	FoodAction    = "order_food"       // from the menu
	ServiceAction = "book_service"     // somebody comes, or makes an offer
	ViewingAction = "schedule_viewing" // of a property
)

// ActionTypes lists them, each with the event of its first message.
func ActionTypes() map[string]string {
	return map[string]string{
		BookAction: "merchant_booking_confirmed", FoodAction: "merchant_order_placed",
		ServiceAction: "merchant_service_placed", ViewingAction: "merchant_viewing_placed",
	}
}

// actionNames are other names that catalogues have for the types.
var actionNames = map[string]string{
	"booking": BookAction, "reserve_table": BookAction, "book_table": BookAction, "book_activity": BookAction, "book_tickets": BookAction,
	"buy_tickets": BookAction, "book_stay": BookAction, "book_room": BookAction,
	"food": FoodAction, "orderFood": FoodAction, "bookService": ServiceAction, "request_service": ServiceAction,
	"viewing": ViewingAction, "scheduleViewing": ViewingAction,
}

// toolTypes are the actions that a listing of the older form has.
var toolTypes = map[string][]Action{
	"restaurant": {{Type: FoodAction, DataKind: MenuItems}, {Type: BookAction}},
	"provider":   {{Type: ServiceAction, DataKind: Services}},
	"activity":   {{Type: BookAction, DataKind: Tickets}},
	"stay":       {{Type: BookAction, DataKind: RoomTypes}, {Type: ViewingAction}},
}

// modern makes actions of the older form: they stand for what it says when there are none.
func (in *Integration) modern() error {
	if in.ToolType == "" {
		return nil
	}
	made, known := toolTypes[in.ToolType]
	if !known {
		return fault.Field("merve.toolType", "want one of %v", slices.Sorted(maps.Keys(toolTypes)))
	}
	if len(in.Actions) == 0 {
		in.Actions = slices.Clone(made)
		for i := range in.Actions {
			in.Actions[i].Enabled = true
		}
		in.Actions[0].Dispatch.Template = in.DispatchTemplate // the first is what the type is there for
	}
	in.ToolType, in.DispatchTemplate = "", ""
	return nil
}

// integrationInput and actionInput are an integration and an action as JSON may have them. Neither
// has a method that reads it, so that a decoder which refuses fields that it does not know sees all
// of them.
type (
	integrationInput struct {
		plainIntegration
		Actions []actionInput `json:"actions"`
	}
	plainIntegration Integration

	// actionInput also accepts the field names of older catalogues: actionType for type, and number
	// and templates next to it.
	actionInput struct {
		plainAction
		ActionType string            `json:"actionType"`
		ToE164     string            `json:"toE164"`
		Template   string            `json:"template"`
		Templates  map[string]string `json:"templates"`
	}
	plainAction Action
)

func (in integrationInput) read() (Integration, error) {
	out := Integration(in.plainIntegration)
	out.Actions = read(in.Actions)
	return out, out.modern()
}

func read(in []actionInput) []Action {
	var all []Action
	for _, one := range in {
		all = append(all, one.read())
	}
	return all
}

func (in actionInput) read() Action {
	a := Action(in.plainAction)
	a.Type = cmp.Or(a.Type, in.ActionType)
	if name, ok := actionNames[a.Type]; ok {
		a.Type = name
	}
	a.Dispatch.ToE164, a.Dispatch.Template = cmp.Or(a.Dispatch.ToE164, in.ToE164), cmp.Or(a.Dispatch.Template, in.Template)
	if a.Dispatch.Templates == nil {
		a.Dispatch.Templates = in.Templates
	}
	return a
}

// UnmarshalJSON reads the older form too.
func (in *Integration) UnmarshalJSON(raw []byte) error {
	var given integrationInput
	err := json.Unmarshal(raw, &given)
	if err == nil {
		*in, err = given.read()
	}
	return unembedded(err)
}

// UnmarshalJSON reads an action, also with the field names of older catalogues.
func (a *Action) UnmarshalJSON(raw []byte) error {
	var given actionInput
	err := json.Unmarshal(raw, &given)
	*a = given.read()
	return unembedded(err)
}

// Action returns the enabled action of a type.
func (l *Listing) Action(typ string) (Action, bool) {
	if !l.Merve.Enabled {
		return Action{}, false
	}
	for _, a := range l.Merve.Actions {
		if a.Type == typ && a.Enabled {
			return a, true
		}
	}
	return Action{}, false
}

// Template is what the action says of an event; "" leaves it to the market.
func (a Action) Template(event string) string {
	if t := a.Dispatch.Templates[event]; t != "" || event != ActionTypes()[a.Type] {
		return t
	}
	return a.Dispatch.Template
}

// Dispatch returns where messages of an action go: its own number, else the listing's.
func (l *Listing) Dispatch(a Action) string { return cmp.Or(a.Dispatch.ToE164, l.Merve.WhatsApp) }

// Numbers are all to which messages of the listing go, in order.
func (l *Listing) Numbers() []string {
	var all []string
	for _, a := range l.Merve.Actions {
		all = append(all, l.Dispatch(a))
	}
	all = append(all, l.Merve.WhatsApp)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(n string) bool { return n == "" })
}

// check holds the integration to numbers that can be called and types that there are.
func (in Integration) check() error {
	if err := checkNumber("merve.whatsappE164", in.WhatsApp); err != nil {
		return err
	}
	if len(in.Actions) > maxActions {
		return fault.Field("merve.actions", "at most %d", maxActions)
	}
	for i, a := range in.Actions {
		if err := a.check(); err != nil {
			return fmt.Errorf("merve.actions[%d]: %w", i, err)
		}
	}
	return nil
}

// check holds an action's templates to the events there are and to their variables.
func (a Action) check() error {
	main, known := ActionTypes()[a.Type]
	if !known {
		return fault.Field("type", "want one of %v", slices.Sorted(maps.Keys(ActionTypes())))
	}
	if a.DataKind != "" && !slices.Contains(DataKinds(), a.DataKind) {
		return fault.Field("dataKind", "want one of %v", DataKinds())
	}
	if err := checkNumber("dispatch.toE164", a.Dispatch.ToE164); err != nil {
		return err
	}
	for _, texts := range []map[string]string{{main: a.Dispatch.Template}, a.Dispatch.Templates} {
		for event, text := range texts {
			vars, known := market.Events()[event]
			if !known {
				return fault.Field("templates", "no such event as %q", event)
			}
			if err := wording.Validate(text, vars); err != nil {
				return fault.Field("templates."+event, "%v", err)
			}
		}
	}
	return nil
}

func checkNumber(field, number string) error {
	if number != "" && !market.IsE164(number) {
		return fault.Field(field, "want a number in the form of E.164, such as +905331234567")
	}
	return nil
}
