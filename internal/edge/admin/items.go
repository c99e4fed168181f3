package admin

import (
	"context"
	"net/http"

	"merve/internal/edge/httpapi"
)

// saveItem stores an item of a market under the id in a part of the path. A version, if the request has one, must be the
// stored one.
func saveItem[T interface{ Check() error }](
	in tenants, w http.ResponseWriter, r *http.Request, part string,
	under func(item *T, market, id string), put func(context.Context, T) (T, error),
) error {
	var item T
	if err := httpapi.ReadJSON(w, r, &item); err != nil {
		return err
	}
	under(&item, r.PathValue("market"), r.PathValue(part))
	if err := item.Check(); err != nil {
		return err
	}
	if err := in.inMarket(r, part); err != nil {
		return err
	}
	saved, err := put(r.Context(), item)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, saved)
}

// deleteItem deletes the item of a market under the id in a part of the path, if find finds it.
func deleteItem(
	w http.ResponseWriter, r *http.Request, part string, find, remove func(ctx context.Context, market, id string) error,
) error {
	market, id := r.PathValue("market"), r.PathValue(part)
	if err := find(r.Context(), market, id); err != nil {
		return notFound(err)
	}
	if err := remove(r.Context(), market, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// found asks a store only whether something is there.
func found[T any](get func(ctx context.Context, market, id string) (T, error)) func(ctx context.Context, market, id string) error {
	return func(ctx context.Context, market, id string) error {
		_, err := get(ctx, market, id)
		return err
	}
}
