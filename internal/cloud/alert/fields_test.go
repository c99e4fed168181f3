package alert

import (
	"testing"

	"merve/internal/base/fieldtest"
)

func TestNamesTellApart(t *testing.T) {
	t.Parallel()
	fieldtest.Only(t, Alert.finding, "Check", "Severity", "Subject", "Of")
	fieldtest.All(t, alertKey, openKey)
}
