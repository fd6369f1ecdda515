package grpclimit

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir"
)

// answer is what becomes of a call: it passes where err is nil.
type answer struct {
	header  metadata.MD // of a call that passes
	trailer metadata.MD // of one that does not
	err     error       // with its status
}

var (
	errUnknown    = status.Error(codes.PermissionDenied, "The caller is not known.")
	errUndecided  = status.Error(codes.Unavailable, "No decision could be made.")
	errSenseless  = status.Error(codes.InvalidArgument, "The cost of this call is negative.")
	passUncounted = answer{}
)

// ask decides one call or message; message is nil for a stream that opens.
func (i *Interceptor) ask(ctx context.Context, method string, message any) answer {
	for _, skip := range i.skips {
		if skip(ctx, method) {
			return passUncounted
		}
	}
	key, err := i.key(ctx, method)
	switch {
	case err != nil:
		i.report(ctx, err)
		return answer{err: errUndecided}
	case key == "" && i.unknownUncounted:
		return passUncounted
	case key == "":
		return answer{err: errUnknown}
	}
	cost := int64(1)
	if i.cost != nil {
		cost = i.cost(ctx, method, message)
	}
	r, err := i.limiter.AllowN(ctx, key, cost)
	if err != nil {
		return i.failed(ctx, err)
	}
	if !r.Allowed {
		return answer{trailer: i.told(&r), err: i.refusal(&r)}
	}
	return answer{header: i.told(&r)}
}

// failed is what becomes of a call that was not decided. A caller who is gone is
// none of the store's failures, and passes nowhere: whoever hangs up in time
// could switch the limit off.
func (i *Interceptor) failed(ctx context.Context, err error) answer {
	if errors.Is(err, weir.ErrNegativeCost) {
		return answer{err: errSenseless}
	}
	if gone := ctx.Err(); gone != nil {
		return answer{err: status.FromContextError(gone).Err()}
	}
	i.report(ctx, err)
	if i.allowOnError {
		return passUncounted
	}
	return answer{err: errUndecided}
}
