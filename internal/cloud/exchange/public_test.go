package exchange_test

import (
	"errors"
	"net/netip"
	"testing"

	"merve/internal/cloud/exchange"
)

func TestIsPublic(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"8.8.8.8": true, "157.240.1.35": true, "2a03:2880:f12f:83:face:b00c::25de": true, "2001:4860:4860::8888": true,
		"100.63.255.255": true, "100.128.0.1": true, "172.15.0.1": true, "172.32.0.1": true, "::ffff:8.8.8.8": true,

		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false,
		"127.0.0.1": false, "127.9.9.9": false, "169.254.169.254": false, "169.254.170.2": false,
		"172.16.0.1": false, "172.31.255.255": false, "192.0.0.170": false, "192.0.2.1": false, "192.88.99.1": false,
		"192.168.1.1": false, "198.18.0.1": false, "198.51.100.7": false, "203.0.113.9": false,
		"224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false,

		"::": false, "::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false, "::ffff:169.254.169.254": false,
		"::ffff:10.0.0.1": false, "64:ff9b::a9fe:a9fe": false, "64:ff9b::8.8.8.8": false, "64:ff9b:1::1": false, "100::1": false,
		"2001::1": false, "2001:db8::1": false, "2002:7f00:1::": false, "3fff::1": false, "fc00::1": false,
		"fd00:ec2::254": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "ff02::1": false, "5f00::1": false,
		"2001:4860:4860::8888%eth0": false,
	}
	for s, want := range tests {
		if got := exchange.IsPublic(netip.MustParseAddr(s)); got != want {
			t.Errorf("exchange.IsPublic(%s) = %v", s, got)
		}
	}
}

// Of the port of a public address, too, only HTTPS's is asked.
func TestPublicHTTPS(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"8.8.8.8:443": true, "8.8.8.8:22": false, "8.8.8.8:80": false, "[::1]:443": false} {
		if got := exchange.PublicHTTPS(netip.MustParseAddrPort(s)); got != want {
			t.Errorf("exchange.PublicHTTPS(%s) = %v", s, got)
		}
	}
	if err := exchange.OnlyTo(exchange.PublicHTTPS)("tcp", "what", nil); !errors.Is(err, exchange.ErrPrivate) {
		t.Errorf("an address that cannot be read: %v", err)
	}
}
