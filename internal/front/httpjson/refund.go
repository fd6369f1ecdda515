package httpjson

import (
	"errors"
	"net/http"

	"github.com/weirhq/weir/internal/receipt"
)

type refundRequest struct {
	Receipt string `json:"receipt"`
}

// refundAnswer says whether anything was given back: not for a receipt that was
// given back before, nor for a charge that has leaked away or left its window.
type refundAnswer struct {
	Refunded bool `json:"refunded"`
}

func (h *handler) refund(w http.ResponseWriter, r *http.Request) error {
	body, err := read(w, r, maxBody)
	if err != nil {
		return err
	}
	var in refundRequest
	if err := decode(body, &in); err != nil {
		return err
	}
	if in.Receipt == "" {
		return fail(http.StatusBadRequest, "The receipt is missing; it is in the answer of /v1/take.")
	}
	gave, err := h.engine.Refund(r.Context(), in.Receipt)
	if errors.Is(err, receipt.ErrInvalid) {
		return fail(http.StatusBadRequest, "This is not a receipt of this service, or was signed with another secret.")
	}
	if err != nil {
		return fail(http.StatusServiceUnavailable, "The store does not answer; whether it was given back is not known. It is given back once, so try again.")
	}
	return write(w, refundAnswer{gave})
}
