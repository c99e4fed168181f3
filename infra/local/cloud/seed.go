package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/infra/local/demo"
	"merve/internal/app"
)

// seed loads the demo market into the tables that the functions were given.
func seed(ctx context.Context, em *emulator, env map[string]string) error {
	getenv := func(name string) string { return env[name] }
	c, err := app.FromEnv(getenv)
	if err != nil {
		return err
	}
	b := app.NewBase(app.Process{
		Config: c, AWS: em.config(), Getenv: getenv, Log: slog.New(slog.DiscardHandler), Now: time.Now, NewID: func() string { return ulid.Make().String() },
	})
	if err := demo.Load(ctx, b.Markets(), b.Listings(), demo.LoadPlaces(b.Places()), demo.LoadDrivers(b.Drivers())); err != nil {
		return fmt.Errorf("demo market: %w", err)
	}
	return nil
}

// functionsEnvironment returns the combined environment of the functions.
func (em *emulator) functionsEnvironment(ctx context.Context) (map[string]string, error) {
	var listed struct {
		Functions []struct {
			Environment struct{ Variables map[string]string }
		}
	}
	if err := em.get(ctx, "lambda", "/2015-03-31/functions/", &listed); err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, f := range listed.Functions {
		maps.Copy(env, f.Environment.Variables)
	}
	return env, nil
}
