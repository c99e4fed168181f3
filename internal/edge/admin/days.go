package admin

import (
	"net/http"
	"strconv"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/turn"
)

// days are the figures of a market, day by day.
type days struct {
	Figures *turn.Figures
	Now     func() time.Time
}

func (h days) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/days": h.list,
	}
}

// maxDays is the most days listed.
const maxDays = 365

// list lists a market's turns and their cost for each of the latest days, in UTC.
func (h days) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := httpapi.Query(r, "days")
	if err != nil {
		return err
	}
	n := 30
	if r.URL.Query().Has("days") {
		if n, err = strconv.Atoi(q["days"]); err != nil || n < 1 || n > maxDays {
			return fault.Field("days", "want 1 to %d", maxDays)
		}
	}
	to := h.Now().UTC()
	from := to.AddDate(0, 0, 1-n)
	counted, err := h.Figures.Days(r.Context(), r.PathValue("market"), from, to)
	if err != nil {
		return err
	}
	byDay := map[string]turn.Day{}
	for _, d := range counted {
		byDay[d.Day] = d
	}
	all := make([]turn.Day, n)
	for i := range all {
		day := from.AddDate(0, 0, i).Format(time.DateOnly)
		all[i] = byDay[day]
		all[i].Day = day
	}
	return writeList(w, "days", all, "")
}
