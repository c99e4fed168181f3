package threadapi

import (
	"net/http"

	"merve/internal/edge/httpapi"
	"merve/internal/people/account"
)

// Export answers with the data that is kept of the person whose thread it is, as a file.
func Export(w http.ResponseWriter, r *http.Request, people *account.Keeper, threadID string) error {
	data, err := people.Export(r.Context(), threadID)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="data.json"`)
	return httpapi.WriteJSON(w, http.StatusOK, data)
}

// Erase deletes the data that is kept of the person whose thread it is. What is still under way
// stays, and the answer lists it.
func Erase(w http.ResponseWriter, r *http.Request, people *account.Keeper, threadID string) error {
	stays, err := people.Erase(r.Context(), threadID)
	if err != nil {
		return err
	}
	if len(stays) > 0 {
		return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"stays": stays})
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
