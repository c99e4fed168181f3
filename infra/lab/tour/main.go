// Command tour runs the commands of documents as a reader would, in one shell for each document and all against one
// Merve, and wants them to print what the document shows.
//
// Commands stand in blocks of "sh", and what they print in a block of "text" right behind; a block without one only has
// to succeed. What differs with every run (codes, ids, dates, times) may differ, see [alike]. With -update the documents
// are made to show what is printed now.
//
// Merve is started on a free port with nothing in its store, and without any key. With -deploy, a document is about
// deployments, and what an account or a tool is needed for is left out loudly: see [deployment].
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	binary string
	update bool
	deploy bool
	files  []string
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/merve", "the program to run")
	flag.BoolVar(&o.update, "update", false, "make the documents show what is printed now")
	flag.BoolVar(&o.deploy, "deploy", false, "the documents tell how to deploy: start no Merve")
	flag.Parse()
	o.files = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	as := func(text string) string { return text }
	env, here, there := os.Environ(), as, as
	if !o.deploy {
		m, err := start(ctx, o.binary)
		if err != nil {
			return err
		}
		defer m.stop()
		env, here, there = m.env, m.here, m.there
	}
	var wrong []error
	for _, file := range o.files {
		began := time.Now()
		d, err := readDocument(file)
		if err != nil {
			return err
		}
		t := &tour{document: d, here: here, there: there, update: o.update, deploy: o.deploy}
		if err := t.run(ctx, env); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", file, err))
		}
		if o.update {
			if err := d.write(); err != nil {
				return err
			}
		}
		fmt.Printf("%s: %d blocks of commands, %.1f s\n", file, t.ran, time.Since(began).Seconds())
	}
	return errors.Join(wrong...)
}
