package admin

import (
	"errors"
	"io"
	"net/http"

	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/strictjson"
)

type resetRequest struct {
	Layer string `json:"layer"`
	Key   string `json:"key"`
}

const maxBody = 64 << 10 // bytes

// reset answers {"keys": N}: how many keys were forgotten by name, one for each
// limit of the layer, whether or not the caller had used it.
func (p *port) reset(w http.ResponseWriter, r *http.Request) {
	in, status, err := readReset(w, r)
	if err != nil {
		httplimit.NewProblem(status, err.Error()).Write(w)
		return
	}
	key, ok := p.named(w, in.Layer, in.Key)
	if !ok {
		return
	}
	n, err := p.engine.Reset(r.Context(), in.Layer, key)
	var input InputError
	switch {
	case errors.As(err, &input):
		httplimit.NewProblem(http.StatusBadRequest, input.Error()).Write(w)
	case err != nil:
		httplimit.NewProblem(http.StatusServiceUnavailable, "The store does not answer; whether it was reset is not known.").Write(w)
	default:
		writeJSON(w, http.StatusOK, map[string]int{"keys": n})
	}
}

func readReset(w http.ResponseWriter, r *http.Request) (in resetRequest, status int, err error) {
	body, status, err := readBody(w, r)
	if err != nil {
		return in, status, err
	}
	if err := strictjson.Decode(body, &in); err != nil {
		return in, http.StatusBadRequest, err
	}
	if in.Layer == "" || in.Key == "" {
		return in, http.StatusBadRequest, InputError(`Layer and key are both needed: {"layer": "gateway", "key": "k1"}.`)
	}
	return in, 0, nil
}

func readBody(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge, InputError("The body is larger than 65536 bytes.")
	case err != nil:
		return nil, http.StatusBadRequest, InputError("The body could not be read to its end.")
	}
	return body, 0, nil
}
