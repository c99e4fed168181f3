package api

import (
	"context"
	"net/http"
	"slices"

	"merve/internal/base/actor"
	"merve/internal/cloud/exchange"
	"merve/internal/cloud/limit"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
)

// Pictures lets the people of a chat send photos and see those they have sent.
type Pictures struct {
	Photos Photos
	Limits *limit.Counter
	Links  bool // addresses elsewhere that were attached are shown as they are
}

// Photos keeps and shows photos of a thread.
type Photos interface {
	Upload(ctx context.Context, thread, contentType string, size int64) (media.Upload, error)
	Kept(ctx context.Context, thread, addressOrRef string) (stored string, err error)
	Address(ctx context.Context, stored string) (string, error)
}

// uploadRequest is the body of POST /chat/photos and POST /web-chat-api/photos.
type uploadRequest struct {
	SessionID   string `json:"sessionId"`
	AgentID     string `json:"agentId"`
	MarketID    string `json:"marketId"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
}

// Uploads an hour: of a session, and of an address, since sessions cost nothing to make.
const (
	sessionUploads = 40
	addressUploads = 400
)

// upload lets somebody put one photo into the bucket. It is a photo of their thread, and is
// looked at when a message brings it.
func (p Pictures) upload(w http.ResponseWriter, r *http.Request, who actor.Actor, threadID string, req uploadRequest) error {
	if err := p.Limits.Take(r.Context(), "upload", who.Key(), sessionUploads); err != nil {
		return err
	}
	if err := p.Limits.Take(r.Context(), "upload", trigger.Info(r.Context()).SourceIP, addressUploads); err != nil {
		return err
	}
	up, err := p.Photos.Upload(r.Context(), threadID, req.ContentType, req.Size)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{
		"uploadUrl": up.URL, "method": up.Method, "headers": up.Headers, "mediaUrl": up.Ref, "expiresAt": up.ExpiresAt,
	})
}

// show replaces the photos in lines with addresses that work now, and removes
// those that cannot be shown: the text is listed even while the bucket is away.
func (p Pictures) show(ctx context.Context, threadID string, lines []thread.Line) {
	var all []*channel.Media
	for i := range lines {
		for j := range lines[i].Media {
			all = append(all, &lines[i].Media[j])
		}
	}
	eachAtOnce(all, func(m *channel.Media) {
		m.URL = p.shown(ctx, threadID, m.URL)
	})
	for i := range lines {
		lines[i].Media = slices.DeleteFunc(lines[i].Media, func(m channel.Media) bool { return m.URL == "" })
	}
}

// shown returns the address where a photo of a thread can be seen now; "" if there is no such photo or it is out of reach.
func (p Pictures) shown(ctx context.Context, threadID, attached string) string {
	stored, err := p.Photos.Kept(ctx, threadID, attached)
	switch {
	case err != nil && p.Links && exchange.IsURL(attached):
		return attached
	case err != nil:
		return ""
	}
	address, err := p.Photos.Address(ctx, stored)
	if err != nil {
		return ""
	}
	return address
}
