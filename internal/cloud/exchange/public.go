package exchange

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// ErrPrivate is why [OnlyTo] made no connection.
var ErrPrivate = errors.New("not a public address")

// reserved4 are the IPv4 addresses that belong to no host on the public Internet.
// https://www.iana.org/assignments/iana-ipv4-special-registry
var reserved4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)

// global6 is all that is given out of IPv6; loopback, link-local, unique local (with the
// metadata address of AWS), multicast and NAT64 (64:ff9b::/96) lie outside. reserved6 are
// the parts of it that are not hosts, or that carry an IPv4 address inside: Teredo, 6to4.
// https://www.iana.org/assignments/iana-ipv6-special-registry
var (
	global6   = netip.MustParsePrefix("2000::/3")
	reserved6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// IsPublic reports whether a is an address of the public Internet.
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	holds := func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) }
	if a.Is4() {
		return !slices.ContainsFunc(reserved4, holds)
	}
	return a.Zone() == "" && holds(global6) && !slices.ContainsFunc(reserved6, holds)
}

// PublicHTTPS permits connections to the HTTPS port of public addresses.
func PublicHTTPS(to netip.AddrPort) bool { return to.Port() == 443 && IsPublic(to.Addr()) }

// OnlyTo refuses a connection at the last moment, when the address is the one that is
// dialled: whatever the name said when it was looked up before does not count.
func OnlyTo(permits func(netip.AddrPort) bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !permits(to) {
			return ErrPrivate
		}
		return nil
	}
}

// Public returns a client that connects to public addresses only, by HTTPS, and follows no redirect: for addresses that
// somebody else has chosen. It uses no proxy, which would look names up where nothing is checked.
func Public(timeout time.Duration) *http.Client {
	dialer := net.Dialer{Timeout: timeout, Control: OnlyTo(PublicHTTPS)}
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: timeout, MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConns: 4, IdleConnTimeout: 30 * time.Second,
		},
	}
}
