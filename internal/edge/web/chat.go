package web

import (
	"embed"
	"html"
	"net/http"
	"strings"
)

//go:embed chat.html static
var chatFiles embed.FS

// ChatConfig says which addresses the chat page uses besides its own origin.
type ChatConfig struct {
	// Tiles is the address of raster map tiles (256 pixels, Web Mercator) with {z}, {x} and {y},
	// such as the default, OpenStreetMap's. A path is of the page's own origin.
	Tiles string
	// TilesCredit is the name to credit on a map of these tiles, and TilesCreditURL the page it links to.
	// The default is OpenStreetMap's.
	TilesCredit, TilesCreditURL string
	// ImageOrigin is where photos are put and shown from, such as the bucket's
	// "https://photos.s3.eu-central-1.amazonaws.com". "" is the page's own origin.
	ImageOrigin string
	// Sockets is where live conversations are, such as "wss://live.example/prod". "" is the page's own origin.
	Sockets string
}

// OpenStreetMap's standard tiles (https://operations.osmfoundation.org/policies/tiles/), and the
// credit that they ask for (https://www.openstreetmap.org/copyright).
const (
	osmTiles     = "https://tile.openstreetmap.org/{z}/{x}/{y}.png"
	osmCredit    = "© OpenStreetMap contributors"
	osmCreditURL = "https://www.openstreetmap.org/copyright"
)

// Chat returns the chat page as it is by default; see [ChatWith].
func Chat() http.Handler { return ChatWith(ChatConfig{}) }

// ChatWith returns the handler of the chat page: "/" and the files it loads from "/static/".
// The page talks to POST /chat/message, POST /chat/photos, GET /chat/threads/{threadId}/messages,
// GET /chat/threads/{threadId}/activity and GET /healthz, hears replies by the socket that the last one names, puts photos where the server says, and
// shows maps of tiles. Pictures of listings may be anywhere.
func ChatWith(cfg ChatConfig) http.Handler {
	if cfg.Tiles == "" {
		cfg.Tiles = osmTiles
	}
	if cfg.TilesCredit == "" {
		cfg.TilesCredit, cfg.TilesCreditURL = osmCredit, osmCreditURL
	}
	return &site{
		files: chatFiles,
		policy: policy("script-src 'self'", sources("connect-src 'self'", cfg.ImageOrigin, cfg.Sockets),
			sources("img-src 'self' https: data:", cfg.Tiles, cfg.ImageOrigin)),
		permissions: "camera=(), geolocation=(self), microphone=()",
		file:        chatFile,
		shape:       cfg.shape,
	}
}

func chatFile(path string) string {
	switch {
	case path == "/":
		return "chat.html"
	case strings.HasPrefix(path, "/static/"):
		return path[1:]
	}
	return ""
}

// shape puts the configuration into the page, and minifies what it loads.
func (cfg ChatConfig) shape(name string, body []byte) ([]byte, error) {
	if name != "chat.html" {
		return minified(name, body)
	}
	return []byte(strings.NewReplacer(
		"{{tiles}}", html.EscapeString(cfg.Tiles),
		"{{credit}}", html.EscapeString(cfg.TilesCredit),
		"{{creditHref}}", html.EscapeString(link(cfg.TilesCreditURL)),
	).Replace(string(body))), nil
}
