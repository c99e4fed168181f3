// Package account has what customers may do with their own identity and data, with any assistant: link their chats on
// two channels by a code, undo that, and delete everything that is kept about them.
//
// Only somebody who writes on both threads can make a link: one makes the code, the other says it. Each side then
// owns what the other owns, and stays a thread of its own. To link and to delete takes a YES.
//
// All of it stays within a market: an export or a deletion covers what that tenant keeps, from every assistant. The
// same person has to ask another tenant separately.
package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
	"merve/internal/words/claim"
	"merve/internal/words/wording"
)

// Keeper has the tools.
type Keeper struct {
	Threads *thread.Store
	Kinds   thread.Kinds // finds all threads of a customer
	// Holders keep something of customers, and are asked in this order.
	Holders []Holder
}

// Holder keeps something of customers. Each store has its own, which is named Held.
type Holder interface {
	// Export returns what this holder has of the customer, to be shown as JSON; nil if that is nothing.
	Export(ctx context.Context, s person.Subject) (any, error)
	// Erase deletes the data, except for what others are still working on or expect. It returns the codes of that,
	// which goes by itself once it is over. Data that has gone already is no error. Erase may be called again.
	Erase(ctx context.Context, s person.Subject) (stays []string, err error)
	// Holds names the kept data, as a field of an export.
	Holds() string
}

// Tools returns the declarations with their resolvers.
func (d *Keeper) Tools() []tool.Tool {
	code := tool.New("create_link_code",
		"Make a code with which the customer links this chat with their chat on another channel, so that both show the same reports. "+
			"They write the code there within ten minutes.", tool.Propose, d.code)
	code.Draft = true
	link := tool.New("link_chats",
		"Link this chat with the customer's chat on another channel, by the code that was made there.", tool.Commit, d.link)
	link.Summary = tool.SummaryOf(d.askLink)
	unlink := tool.New("unlink_chats", "Undo all links of this chat with other chats.", tool.Propose, d.unlink)
	unlink.Draft = true
	erase := tool.New("delete_my_data", "Delete everything that is kept of the customer, for good.", tool.Commit, d.erase)
	erase.Summary = askErase
	return []tool.Tool{code, link, unlink, erase}
}

type noArgs struct{}

func (d *Keeper) code(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	code, until, err := d.Threads.Links().Code(ctx, tc.Thread)
	if err != nil {
		return tool.Result{}, err
	}
	return did(map[string]any{
		"code": code, "goodUntil": until.In(tc.TimeZone).Format(time.RFC3339), "next": "the customer writes this code in the other chat",
	}), nil
}

// did is the result of something that was done, so that it may be said in that word and in
// others.
func did(data map[string]any, also ...claim.Kind) tool.Result {
	r := tool.Result{Data: data, Facts: []string{string(claim.Done)}}
	for _, k := range also {
		r.Facts = append(r.Facts, string(k))
	}
	return r
}

type linkArgs struct {
	Code string `json:"code" jsonschema:"the code, as the customer wrote it"`
}

// askLink words the question, for a code that links something: nobody says YES to a wrong one.
func (d *Keeper) askLink(ctx context.Context, tc tool.Context, args linkArgs) (string, error) {
	if _, err := d.Threads.Links().LinkedBy(ctx, tc.Thread, args.Code); err != nil {
		return "", err
	}
	return wording.Say(tc.Language, wording.LinkChats, nil), nil
}

func (d *Keeper) link(ctx context.Context, tc tool.Context, args linkArgs) (tool.Result, error) {
	if err := d.Threads.Links().Link(ctx, tc.Thread, args.Code); err != nil {
		return tool.Result{}, err
	}
	return did(map[string]any{"status": "linked"}), nil
}

func (d *Keeper) unlink(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	if err := d.Threads.Links().Unlink(ctx, tc.Thread); err != nil {
		return tool.Result{}, err
	}
	return did(map[string]any{"status": "not linked with any chat"}, claim.Deleted), nil
}

func (d *Keeper) erase(ctx context.Context, tc tool.Context, _ noArgs) (tool.Result, error) {
	stays, err := d.Erase(ctx, tc.Thread)
	if err != nil {
		return tool.Result{}, err
	}
	r := did(map[string]any{"status": "deleted"}, claim.Deleted)
	if len(stays) > 0 {
		r.Data = map[string]any{"status": "deleted, but for what is under way", "stays": stays}
		r.Done = wording.Say(tc.Language, wording.DataStays, wording.Vars{"codes": strings.Join(stays, ", ")})
	}
	return r, nil
}

// Erase deletes what the thread's market keeps about the thread's customer, on all their threads there. It spares
// what is under way and returns the codes of that; its holder deletes it once it is over. From a record that the
// books or a business need too, it removes only who the customer is. From what others were told about the customer,
// it removes only the words.
//
// The heads of the customer's threads and package person's names for them stay. With them, a customer who comes back
// is recognized as the same person, and an opt-out stays in force. A failure does not keep the rest from being
// deleted; calling Erase again continues. A thread that does not exist is [actor.ErrNotFound].
func (d *Keeper) Erase(ctx context.Context, threadID string) (stays []string, err error) {
	c, _, err := d.customer(ctx, threadID)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, h := range d.Holders {
		some, err := h.Erase(ctx, c)
		if err != nil {
			errs = append(errs, fmt.Errorf("erase %s: %w", h.Holds(), err))
		}
		stays = append(stays, some...)
	}
	return stays, errors.Join(errs...)
}

// customer is whose a thread is, with the heads of their threads. 3 requests.
func (d *Keeper) customer(ctx context.Context, threadID string) (person.Subject, []thread.Head, error) {
	head, err := d.Threads.Head(ctx, threadID)
	if errors.Is(err, thread.ErrNoThread) {
		err = actor.ErrNotFound
	}
	if err != nil {
		return person.Subject{}, nil, err
	}
	c := person.Subject{Market: head.Market, Owner: head.Owner}
	others, err := d.Threads.All(ctx, d.Kinds, head.Market, head.Owner)
	if err != nil {
		return person.Subject{}, nil, err
	}
	others = slices.DeleteFunc(others, func(id string) bool { return id == threadID })
	heads, err := d.Threads.Heads(ctx, others...)
	heads = append(heads, head)
	for _, h := range heads {
		c.Threads = append(c.Threads, h.ID)
	}
	return c, heads, err
}

// Export returns what the thread's market keeps about the thread's customer, under the names of the holders. A thread
// that does not exist is [actor.ErrNotFound].
func (d *Keeper) Export(ctx context.Context, threadID string) (map[string]any, error) {
	c, heads, err := d.customer(ctx, threadID)
	if err != nil {
		return nil, err
	}
	chats := make([]chat, len(heads))
	for i, h := range heads {
		chats[i] = chat{h.ID, h.Name, h.Channel, h.Phone, h.ReplyAddr, h.Location, h.LocatedAt, h.Language, h.LastIn}
	}
	out := map[string]any{"profile": profile{c.Owner, heads[len(heads)-1].Linked, chats[len(chats)-1], chats[:len(chats)-1]}}
	for _, h := range d.Holders {
		kept, err := h.Export(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", h.Holds(), err)
		}
		if kept != nil {
			out[h.Holds()] = kept
		}
	}
	return out, nil
}

// profile is who a customer is, in an export: as they are known where it was asked for, and elsewhere.
type profile struct {
	ID     string   `json:"id"`
	Linked []string `json:"linked"`
	chat
	Others []chat `json:"others,omitempty"`
}

// chat is what one of a customer's threads knows of them.
type chat struct {
	Thread        string          `json:"threadId"`
	Name          string          `json:"name"`
	Channel       channel.Channel `json:"channel"`
	Phone         string          `json:"phone,omitempty"`
	Address       string          `json:"address,omitempty"` // where replies go
	Location      *geo.Location   `json:"location,omitempty"`
	LocatedAt     time.Time       `json:"locatedAt,omitzero"`
	Language      string          `json:"language"`
	LastMessageAt time.Time       `json:"lastMessageAt"`
}

// askErase words the question.
func askErase(_ context.Context, tc tool.Context, _ json.RawMessage) (string, error) {
	return wording.Say(tc.Language, wording.DeleteData, nil), nil
}
