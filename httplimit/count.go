package httplimit

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/weirhq/weir"
)

// Failures are answers of 400 and above. A handler that panics or returns an
// error is one, whatever it wrote before.
func Failures(status int) bool { return status >= 400 }

// Successes are answers below 400.
func Successes(status int) bool { return status < 400 }

// refundWithin bounds how long an answer waits for what it gives back, where the
// store has no bound of its own.
const refundWithin = time.Second

// count calls next and gives the charge back where its answer does not count. It
// was taken before next ran, so that callers at one time cannot pass together; it
// is given back by its own receipt, so that no other request, and no later
// window, gains by it.
func (m *Middleware) count(w http.ResponseWriter, answer *response, r *http.Request, d *weir.Decision, a *asked, next func(http.ResponseWriter, *http.Request) error) error {
	status := http.StatusInternalServerError // unless next returns, it panics
	defer func() {
		if !m.counts(status) {
			m.giveBack(r, d, a)
		}
	}()
	err := next(w, r)
	status = statusOf(answer, err)
	return err
}

// statusOf is the status that the client sees. What returns an error has not
// written it yet, or should not have.
func statusOf(answer *response, err error) int {
	switch {
	case err != nil && answer.status < 400:
		return statusOfError(err)
	case answer.status == 0:
		return http.StatusOK // net/http writes it when the handler returns
	default:
		return int(answer.status)
	}
}

// statusOfError is the status that an error names itself, as those of echo and
// others do, or else 500.
func statusOfError(err error) int {
	var coded interface{ StatusCode() int }
	if errors.As(err, &coded) && coded.StatusCode() >= 400 {
		return coded.StatusCode()
	}
	return http.StatusInternalServerError
}

// giveBack refunds a client that hung up too.
func (m *Middleware) giveBack(r *http.Request, d *weir.Decision, a *asked) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), refundWithin)
	defer cancel()
	var err error
	if m.decide != nil {
		_, err = m.store.Refund(ctx, d.ID, d.Charges())
	} else {
		_, err = m.limiter.Refund(ctx, a.checks[0].Key.Identity, a.checks[0].Cost, a.results[0])
	}
	if err != nil {
		m.report(r, err)
	}
}
