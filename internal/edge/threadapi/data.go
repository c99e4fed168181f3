package threadapi

import (
	"net/http"

	"merve/internal/edge/httpapi"
	"merve/internal/people/account"
)

// Export answers with the data stored about the thread's owner, as a file.
func Export(w http.ResponseWriter, r *http.Request, people *account.Keeper, threadID string) error {
	data, err := people.Export(r.Context(), threadID)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="data.json"`)
	return httpapi.WriteJSON(w, http.StatusOK, data)
}

// Erase deletes the data stored about the thread's owner. Matters that are still under way
// stay, and the answer lists them.
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
