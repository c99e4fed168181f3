package appointment

import (
	"context"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/customer"
)

// talkTool is for turns in which no other tool is wanted.
func (d *Desk) talkTool() tool.Tool {
	t := tool.New("agent.talk",
		"Call it before you answer when no other tool is wanted: about is \"talk\" for thanks, greetings and questions about what you "+
			"have just said; \"unclear\" when you cannot make out what the caller wants; \"off_domain\" when it is nothing that this "+
			"company does.", tool.Propose, d.talk)
	t.Draft = true // of the call itself
	return t
}

type talkArgs struct {
	About string `json:"about" jsonschema:"talk, unclear or off_domain"`
}

// unclear counts the turns, one after the other, in which nobody could make out what a caller wanted of this company.
type unclear struct {
	Turns int   `dynamodbav:"turns"`
	Turn  int   `dynamodbav:"turn"` // the latest of them
	TTL   int64 `dynamodbav:"ttl"`
}

// offerAfter is after how many such turns a person is offered.
const offerAfter = 2

func unclearKey(thread, session string) dynamo.Key { return shownKey(thread, session, "unclear") }

// talk is the tool for a model that must call a tool and needs none. Turns that lead nowhere end in the offer
// of a person.
func (d *Desk) talk(ctx context.Context, tc tool.Context, a talkArgs) (tool.Result, error) {
	switch a.About {
	case "talk":
		return tool.Result{Data: map[string]string{"note": "answer the caller in a sentence or two"}}, nil
	case "unclear", "off_domain":
	default:
		return tool.Result{}, fault.Field("about", "want talk, unclear or off_domain")
	}
	turns, err := d.counted(ctx, tc)
	if err != nil {
		return tool.Result{}, err
	}
	note := "say kindly what you can do here: list, make, move and cancel appointments; ask what they would like"
	if turns < offerAfter || d.OfferPerson == nil {
		return tool.Result{Data: map[string]string{"note": note}}, nil
	}
	return tool.Result{
		Data:     map[string]string{"note": note + "; the system offers a person"},
		Proposal: d.OfferPerson(tc, "What the caller wants was not understood."),
	}, nil
}

// counted counts a turn, once, and gives how many there were one after the other. 2 requests.
func (d *Desk) counted(ctx context.Context, tc tool.Context) (int, error) {
	if tc.Session.ID == "" {
		return 0, customer.ErrNoCall
	}
	key := unclearKey(tc.Thread, tc.Session.ID)
	var u unclear
	it, err := d.Sessions.Get(ctx, key)
	if err == nil {
		err = it.Decode(&u)
	}
	if err != nil {
		return 0, fmt.Errorf("count an unclear turn: %w", err)
	}
	switch u.Turn {
	case tc.Turn: // a crash has this turn done again
		return u.Turns, nil
	case tc.Turn - 1:
		u.Turns++
	default:
		u.Turns = 1
	}
	u.Turn, u.TTL = tc.Turn, tc.Now.Add(shownFor).Unix()
	if err := d.Sessions.DB().Commit(ctx, d.Sessions.Put(key, u)); err != nil {
		return 0, fmt.Errorf("count an unclear turn: %w", err)
	}
	return u.Turns, nil
}
