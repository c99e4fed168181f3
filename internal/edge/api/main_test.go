package api_test

import (
	"testing"

	"merve/internal/edge/api/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m) }

// service is the one that the package's tests share, with what only they ask of it.
type service struct{ *apitest.Service }

func start(t *testing.T) *service {
	t.Helper()
	return &service{apitest.Start(t)}
}

type answer = apitest.Answer
