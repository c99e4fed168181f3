// Package port finds ports for servers that run as processes of their own and have to be
// told theirs.
package port

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Free returns a port that nobody has on 127.0.0.1. The kernel gives none of its range to
// outgoing connections (Linux: from 32768, net.ipv4.ip_local_port_range), one of which might
// otherwise have it before the server does.
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
