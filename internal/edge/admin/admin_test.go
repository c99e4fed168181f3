package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"merve/internal/edge/api/apitest"
)

// adminRoutes are the operations of the document that are for staff.
func adminRoutes(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, o := range apitest.OpenAPI(t).Operations() {
		if strings.Contains(o, " /admin/") {
			all = append(all, o)
		}
	}
	return all
}

// Every route of the admin API is for staff, whatever else is wrong with a request.
func TestAdminIsForStaff(t *testing.T) {
	t.Parallel()
	s := start(t)
	customer, colleague := s.Issuer.Token(t, "ann", "customers"), s.Issuer.Token(t, "bea", "staff")
	staff := s.Issuer.Token(t, "sam", "admin")
	for _, o := range adminRoutes(t) {
		method, path, _ := strings.Cut(o, " ")
		for _, value := range []string{"demo", "no-such", "x%20y"} {
			target := apitest.Filled(path, value)
			s.Call(t, method, target, nil).Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, "x-session-id", apitest.SessionID()).Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, "Authorization", "Bearer "+apitest.AdminToken+"x").Refuses(t, http.StatusUnauthorized, "")
			s.Call(t, method, target, nil, customer...).Refuses(t, http.StatusForbidden, "")
			s.Call(t, method, target, nil, colleague...).Refuses(t, http.StatusForbidden, "")
		}
		if a := s.Call(t, method, apitest.Filled(path, "no-such"), nil, staff...); a.Status == 401 || a.Status == 403 {
			t.Errorf("%s: staff are answered with %d", o, a.Status)
		}
	}
}

// Whatever stands in addresses and queries is answered as the document says, and never
// by a failure.
func TestAdminTakesAnyAddress(t *testing.T) {
	t.Parallel()
	s := start(t)
	values := []string{"no-such", "a%20b", "%00", "%FF%FE", "%E2%80%AE", "%2E%2E", "%2E", "a%2Fb", "a%23b", "%27%22%3C", strings.Repeat("a", 1200), strings.Repeat("%C3%A7", 700)}
	queries := []string{"", "limit=1", "limit=0", "limit=1e9", "limit=a", "after=a", "after=e30", "after=%00", "threadId=%00%FF", "threadId=x", "businessId=x", "businessId=%FF", "%zz", ";", "a=" + strings.Repeat("b", 2000)}
	for _, o := range adminRoutes(t) {
		t.Run(o, func(t *testing.T) {
			t.Parallel()
			method, path, _ := strings.Cut(o, " ")
			for _, v := range values {
				s.Call(t, method, apitest.Filled(path, v), nil, apitest.Staff()...)
				if !strings.Contains(path, "{") {
					break
				}
			}
			for _, q := range queries {
				s.Call(t, method, apitest.Filled(path, "no-such")+"?"+q, nil, apitest.Staff()...)
			}
		})
	}
}

func TestMain(m *testing.M) { apitest.Main(m) }

// service is the one that the package's tests share, with what only they ask of it.
type service struct{ *apitest.Service }

func start(t *testing.T) *service {
	t.Helper()
	return &service{apitest.Start(t)}
}

type answer = apitest.Answer
