// Package bucket is S3 in process: the real API over HTTP, for the local runner and for
// tests. It keeps objects in memory, or as files below a folder.
//
// It differs from S3 in these ways. It checks no signatures, so presigned addresses
// neither expire nor hold a client to the signed type and length. There is no policy, no
// lifecycle and no encryption. A listing of a folder has one page, however long. Every
// origin may read and write, since local pages come from any port. A file that was being
// written when the process died may be left incomplete.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3afero"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Options say how to run the server.
type Options struct {
	Dir     string   // where objects are kept; "" keeps them in memory
	Addr    string   // "" is a free port of 127.0.0.1
	Buckets []string // created if they are not there
}

// Server is a running S3.
type Server struct {
	URL  string // the endpoint; buckets are the first part of the path
	http *http.Server
	done chan struct{}
	err  error // of serving; set when done is closed
}

// Start starts the server. It answers when Start returns, until Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	store, err := open(o.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range o.Buckets {
		if err := gofakes3.ValidateBucketName(name); err != nil {
			return nil, fmt.Errorf("local bucket %s: %w", name, err)
		}
		err := store.CreateBucket(name)
		if err != nil && !gofakes3.HasErrorCode(err, gofakes3.ErrBucketAlreadyExists) {
			return nil, fmt.Errorf("local bucket %s: %w", name, err)
		}
	}
	addr := o.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("local bucket: %w", err)
	}
	// Clocks of tests are not the system's.
	api := gofakes3.New(store, gofakes3.WithTimeSkewLimit(0)).Server()
	s := &Server{
		URL:  "http://" + l.Addr().String(),
		http: &http.Server{Handler: api, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.err = err
		}
	}()
	return s, nil
}

func open(dir string) (gofakes3.Backend, error) {
	if dir == "" {
		return s3mem.New(), nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("local bucket: data folder: %w", err)
	}
	fs, err := s3afero.FsPath(dir, s3afero.FsPathCreateAll)
	if err != nil {
		return nil, fmt.Errorf("local bucket: data folder: %w", err)
	}
	store, err := s3afero.MultiBucket(fs)
	if err != nil {
		return nil, fmt.Errorf("local bucket: data folder: %w", err)
	}
	return store, nil
}

// Stop ends the server; clients that are still connected after two seconds are cut off. Objects
// in a folder are kept. The error says why the server had already ended by itself.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // its error is that of a listener which is closed already
	}
	<-s.done
	return s.err
}
