package grpclimit

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc"
)

// countMessages runs the handler on a stream that charges what it receives. Once
// a message is refused, the refusal is the stream's end, whatever the handler
// makes of it.
func (i *Interceptor) countMessages(service any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	counted := &countedStream{ServerStream: stream, ctx: ctx, cancel: cancel, interceptor: i, method: info.FullMethod}
	err := handler(service, counted)
	if refusal := counted.refusal(); refusal != nil {
		return refusal
	}
	return err
}

// countedStream is a stream whose messages are charged. Its context ends with the
// refusal, so that whatever else the handler has running for the stream ends too.
type countedStream struct {
	grpc.ServerStream
	ctx         context.Context
	cancel      context.CancelFunc
	interceptor *Interceptor
	method      string
	refused     atomic.Pointer[error]
}

// Context implements grpc.ServerStream.
func (s *countedStream) Context() context.Context { return s.ctx }

// RecvMsg charges the message that it has received: only then is there one, and
// its cost is known.
func (s *countedStream) RecvMsg(message any) error {
	if err := s.refusal(); err != nil {
		return err
	}
	if err := s.ServerStream.RecvMsg(message); err != nil {
		return err
	}
	a := s.interceptor.ask(s.ctx, s.method, message)
	if a.err == nil {
		return nil
	}
	s.SetTrailer(a.trailer)
	s.refused.Store(&a.err)
	s.cancel()
	return a.err
}

// SendMsg sends nothing more after a refusal.
func (s *countedStream) SendMsg(message any) error {
	if err := s.refusal(); err != nil {
		return err
	}
	return s.ServerStream.SendMsg(message)
}

func (s *countedStream) refusal() error {
	if err := s.refused.Load(); err != nil {
		return *err
	}
	return nil
}
