// Package port finds ports for servers that run as processes of their own and have to be
// told theirs, and says where a running Merve listens.
package port

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net"
)

// Free returns an unused port on 127.0.0.1. The port is outside the range that the kernel uses for
// outgoing connections (Linux: from 32768, net.ipv4.ip_local_port_range), because one of those might
// otherwise take it before the server does.
func Free() (int, error) {
	const low, high, tries = 20_000, 32_000, 100
	for range tries {
		port := low + rand.IntN(high-low)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no free port in %d tries from %d to %d", tries, low, high)
}

// Merve is the address of a `make run` with the environment of getenv: PUBLIC_URL, or PORT of this machine.
func Merve(getenv func(string) string) string {
	return cmp.Or(getenv("PUBLIC_URL"), "http://127.0.0.1:"+cmp.Or(getenv("PORT"), "8080"))
}
