package discovery

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// maxURL is the longest address that is kept, in bytes.
const maxURL = 1000

// tracking are the parameters that say which way somebody came, and not where to.
var tracking = []string{
	"gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "ysclid", "twclid", "ttclid", "igshid", "igsh", "li_fat_id",
	"mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi", "srsltid", "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id",
}

// Canonical is the one address of a page: by https, the host in small letters, without default port, fragment and
// what tracks. ok is false for what is no page of the public web.
func Canonical(raw string) (address string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Opaque != "" || u.User != nil {
		return "", false
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return "", false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if !public(host) {
		return "", false
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment, u.ForceQuery = "https", host, "", "", false
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = untracked(u.RawQuery)
	address = u.String()
	return address, len(address) <= maxURL
}

// public reports whether a host can be one of the public web: a name with a domain, and no address of a machine.
func public(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") || strings.ContainsAny(host, " \\%_") {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if slices.Contains([]string{"local", "localhost", "internal", "lan", "home", "test", "invalid"}, last) {
		return false
	}
	return strings.HasPrefix(last, "xn--") || !strings.ContainsFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// untracked is a query without what tracks. The rest stays as it is written: it may mean something in its order.
func untracked(query string) string {
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		name = strings.ToLower(name)
		return name == "" || strings.HasPrefix(name, "utm_") || slices.Contains(tracking, name)
	})
	return strings.Join(kept, "&")
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Host, "www.")
}

// networks are the social networks among whose profiles is searched.
var networks = []string{
	"linkedin.com", "instagram.com", "facebook.com", "x.com", "twitter.com", "tiktok.com", "youtube.com", "threads.net", "threads.com", "pinterest.com", "vk.com",
}

// Networks are the hosts of the social networks among whose profiles is searched.
func Networks() []string { return slices.Clone(networks) }

// isProfile reports whether an address is on one of the social networks, below its front page.
func isProfile(address string) bool {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") == "" {
		return false
	}
	host := u.Hostname()
	return slices.ContainsFunc(networks, func(n string) bool { return host == n || strings.HasSuffix(host, "."+n) })
}
