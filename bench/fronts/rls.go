package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirhq/weir/bench/process"
)

const (
	values      = 10_000 // callers that are limited, each by itself
	connections = 2      // which all callers share, as an Envoy of two workers would
)

// The newest gubernator that the module proxy serves. Its go.mod asks for a patch of Go
// that need not be here, so it is built as if it asked for the first of that minor.
const (
	gubernator        = "github.com/gubernator-io/gubernator/v2"
	gubernatorVersion = "v2.21.0"
	gubernatorGo      = "1.26.0"
)

// service is a rate limit service over gRPC. Requests are written as bytes, and of
// answers only that is read which says that all is admitted, for both services alike.
type service struct {
	method  string
	request func(key, limit string) []byte
	refused func(answer []byte) bool
}

var services = map[string]service{
	"weir":       envoys,
	"noop":       envoys,
	"gubernator": {"/pb.gubernator.V1/GetRateLimits", gubernatorRequest, gubernatorRefuses},
}

var envoys = service{"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", envoyRequest, envoyRefuses}

func (b *bench) prepareRLS(name string) (turn, error) {
	v, err := b.startService(name)
	if err != nil {
		return nil, err
	}
	var clients []*grpc.ClientConn
	for range connections {
		c, err := grpc.NewClient(v.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		b.open = append(b.open, c)
		clients = append(clients, c)
	}
	s := services[name]
	if name != "noop" {
		if err := s.checkLimits(clients[0]); err != nil {
			return nil, err
		}
	}
	var requests [values][]byte
	for i := range requests {
		requests[i] = s.request(fmt.Sprintf("value-%08d", i), "client")
	}
	return load{b.settings, v.pid, 1, "calls/s", func(caller int) error {
		refused, err := s.ask(clients[caller%connections], requests[rand.IntN(values)])
		if err == nil && refused {
			err = fmt.Errorf("a refusal where there is none")
		}
		return err
	}}.turn, nil
}

func (b *bench) startService(name string) (*server, error) {
	switch name {
	case "weir":
		return b.startWeir("default")
	case "gubernator":
		return b.startGubernator()
	default:
		return b.startNothing("grpc")
	}
}

// startGubernator starts one node that owns all keys, without traces.
func (b *bench) startGubernator() (*server, error) {
	return b.once("gubernator", func(v *server) error {
		program, err := process.BuildModuleFor(gubernatorGo, b.dir, gubernator, gubernatorVersion, "./cmd/gubernator")
		if err != nil {
			return err
		}
		b.versions = append(b.versions, "version "+gubernator+" "+gubernatorVersion)
		members := process.Free()
		v.pid, err = b.processes.StartIn([]string{
			"GUBER_GRPC_ADDRESS=" + v.grpc, "GUBER_HTTP_ADDRESS=" + v.http, "GUBER_ADVERTISE_ADDRESS=" + v.grpc, "GUBER_LOG_LEVEL=error",
			"GUBER_PEER_DISCOVERY_TYPE=member-list", "GUBER_MEMBERLIST_ADDRESS=" + members, "GUBER_MEMBERLIST_BIND_ADDRESS=" + members,
			"GUBER_MEMBERLIST_KNOWN_NODES=" + members, "OTEL_TRACES_EXPORTER=none",
		}, v.http, program) // which is served last
		return err
	})
}

// checkLimits wants that of five a day the sixth is refused, for each key by itself.
func (s service) checkLimits(c *grpc.ClientConn) error {
	for key := range 20 {
		for n := range 6 {
			refused, err := s.ask(c, s.request(fmt.Sprint(key), "setup"))
			if err != nil || refused != (n == 5) {
				return fmt.Errorf("call %d of key %d: refused is %v, %v", n+1, key, refused, err)
			}
		}
	}
	return nil
}

func (s service) ask(c *grpc.ClientConn, request []byte) (refused bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var answer []byte
	if err := c.Invoke(ctx, s.method, request, &answer, grpc.ForceCodec(bytesCodec{}), grpc.WaitForReady(true)); err != nil {
		return false, err
	}
	return s.refused(answer), nil
}

// bytesCodec sends and takes messages as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string                  { return "proto" }
func (bytesCodec) Marshal(v any) ([]byte, error) { return v.([]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = data
	return nil
}

// envoyRequest is a RateLimitRequest: domain = 1, descriptors = 2; a descriptor has
// entries = 1 of key = 1, value = 2.
func envoyRequest(key, limit string) []byte {
	entry := text(text(nil, 1, limit), 2, key)
	return text(text(nil, 1, "bench"), 2, text(nil, 1, entry))
}

// envoyRefuses reads overall_code = 1 of a RateLimitResponse, which must be OK = 1, and
// at least one of statuses = 2.
func envoyRefuses(answer []byte) bool { return number(answer, 1) != 1 || !has(answer, 2) }

// gubernatorRequest is a GetRateLimitsReq of one of requests = 1: name = 1,
// unique_key = 2, hits = 3, limit = 4, duration = 5 in ms, algorithm = 6 (0 is the token
// bucket), behavior = 7 (1 is without batches).
func gubernatorRequest(key, limit string) []byte {
	count, duration := uint64(4_000_000_000), time.Minute
	if limit == "setup" {
		count, duration = 5, 24*time.Hour
	}
	one := text(text(nil, 1, limit), 2, key)
	for i, n := range []uint64{1, count, uint64(duration.Milliseconds()), 0, 1} {
		one = protowire.AppendVarint(protowire.AppendTag(one, protowire.Number(3+i), protowire.VarintType), n)
	}
	return text(nil, 1, one)
}

// gubernatorRefuses reads status = 1, which is left out where it is 0, and error = 5 of
// the one of responses = 1.
func gubernatorRefuses(answer []byte) bool {
	_, _, tag := protowire.ConsumeTag(answer)
	one, n := protowire.ConsumeBytes(answer[max(tag, 0):])
	return tag < 0 || n < 0 || number(one, 1) != 0 || has(one, 5)
}

func text[T string | []byte](message []byte, field protowire.Number, value T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(message, field, protowire.BytesType), []byte(value))
}

// number is a field that is a number; 0 where it is not there.
func number(message []byte, field protowire.Number) (n uint64) {
	fields(message, func(found protowire.Number, value []byte) {
		if found == field {
			n, _ = protowire.ConsumeVarint(value)
		}
	})
	return n
}

func has(message []byte, field protowire.Number) (there bool) {
	fields(message, func(found protowire.Number, _ []byte) { there = there || found == field })
	return there
}

// fields visits the fields of a message, as far as it is one.
func fields(message []byte, visit func(field protowire.Number, value []byte)) {
	for len(message) > 0 {
		field, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(field, kind, message[tag:])
		if size < 0 {
			return
		}
		visit(field, message[tag:tag+size])
		message = message[tag+size:]
	}
}
