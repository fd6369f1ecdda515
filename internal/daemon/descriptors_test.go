package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	envoytype "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/front/envoyrls"
	"github.com/weirhq/weir/internal/redistest"
)

// shop is a domain whose users have n requests a day.
func shop(n int) string {
	return fmt.Sprintf("domain: shop\ndescriptors:\n  - {key: user, rate_limit: {unit: day, requests_per_unit: %d}}\n", n)
}

// envoyFolder is a folder with one file.
func envoyFolder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "shop.yaml", text)
	return dir
}

// user asks for one request of a user.
func user(name string) *pb.RateLimitRequest {
	return &pb.RateLimitRequest{Domain: "shop", Descriptors: []*common.RateLimitDescriptor{
		{Entries: []*common.RateLimitDescriptor_Entry{{Key: "user", Value: name}}},
	}}
}

func dial(t *testing.T, address string, c credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// The gRPC port has the rate limit service, health and reflection, and the
// traffic port the same as JSON.
func TestGRPCPort(t *testing.T) {
	d := start(t, Options{EnvoyConfig: envoyFolder(t, shop(2)), EnvoyHeaders: true, EnvoyMetadata: true})
	conn := dial(t, d.grpc, insecure.NewCredentials())

	out, err := pb.NewRateLimitServiceClient(conn).ShouldRateLimit(t.Context(), user("ann"))
	if err != nil || out.Statuses[0].LimitRemaining != 1 || len(out.ResponseHeadersToAdd) != 3 || out.DynamicMetadata == nil {
		t.Errorf("%v %v", out, err)
	}
	for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		body := strings.NewReader(`{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}]}]}`)
		r, err := http.Post(d.http+"/json", "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%d, want %d", r.StatusCode, want)
		}
	}
	if r, err := http.Get(d.http + "/healthcheck"); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("%v %v", r, err)
	}
	for _, service := range []string{"", "envoy.service.ratelimit.v3.RateLimitService"} {
		h, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
		if err != nil || h.Status != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("health of %q: %v %v", service, h, err)
		}
	}
	if names := services(t, conn); !strings.Contains(names, "envoy.service.ratelimit.v3.RateLimitService") {
		t.Errorf("reflection: %s", names)
	}
}

// services are those that reflection lists.
func services(t *testing.T, conn *grpc.ClientConn) string {
	t.Helper()
	stream, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stream.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}})
	in, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	stream.CloseSend()
	return in.String()
}

// Without Envoy's configuration nobody is told that all is well: there is no such
// service.
func TestNoRateLimitServiceWithoutItsConfiguration(t *testing.T) {
	d := start(t, Options{})
	_, err := pb.NewRateLimitServiceClient(dial(t, d.grpc, insecure.NewCredentials())).ShouldRateLimit(t.Context(), user("ann"))
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("%v", err)
	}
	if r, err := http.Post(d.http+"/json", "", nil); err != nil || r.StatusCode != http.StatusNotFound {
		t.Errorf("%v %v", r, err)
	}
}

// The gRPC port speaks TLS where the others do.
func TestGRPCSpeaksTLS(t *testing.T) {
	s := startTLS(t, false)
	health := healthpb.NewHealthClient(dial(t, s.grpc, credentials.NewClientTLSFromCert(s.ca.Pool(), "127.0.0.1")))
	if _, err := health.Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
		t.Error(err)
	}
	plain := healthpb.NewHealthClient(dial(t, s.grpc, insecure.NewCredentials()))
	if _, err := plain.Check(t.Context(), &healthpb.HealthCheckRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("in the clear: %v", err)
	}
}

// A call under way is answered while the port drains, and health says so first.
func TestGRPCDrains(t *testing.T) {
	d := start(t, Options{EnvoyConfig: envoyFolder(t, shop(2))})
	conn := dial(t, d.grpc, insecure.NewCredentials())
	watch, err := healthpb.NewHealthClient(conn).Watch(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if h, err := watch.Recv(); err != nil || h.Status != healthpb.HealthCheckResponse_SERVING {
		t.Fatalf("%v %v", h, err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- d.stop() }()
	if h, err := watch.Recv(); err != nil || h.Status != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("%v %v", h, err)
	}
	conn.Close() // the watch is under way as long as its client likes
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// posted sends a request as JSON and gives the limit that the answer tells.
func (w *watched) posted(name string) (requests float64) {
	w.t.Helper()
	body := `{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "` + name + `"}], "hitsAddend": "0"}]}`
	a := w.send(request{method: http.MethodPost, target: "/json", body: body})
	var out struct {
		Statuses []struct {
			CurrentLimit struct{ RequestsPerUnit float64 }
		}
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusOK || len(out.Statuses) != 1 {
		w.t.Errorf("%d %s", a.status, a.body)
		return 0
	}
	return out.Statuses[0].CurrentLimit.RequestsPerUnit
}

// A ConfigMap that is swapped a hundred times under traffic: each is one reload,
// and every request is decided by the files of before or of after.
func TestSwapsUnderTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watched{service: &service{t: t}, dir: t.TempDir()}
		w.mount("0", map[string]string{"shop.yaml": shop(1000)})
		w.symlink("..data/shop.yaml", "shop.yaml")
		w = watchAll(t, w.dir, Options{EnvoyConfig: w.dir})
		w.settle()

		asked, stop := 0, make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for last := 1000.0; ; asked++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				if n := w.posted("ann"); n != last && n != last+1 {
					t.Errorf("a limit of %v after %v", n, last)
				} else {
					last = n
				}
			}
		}()
		for i := 1; i <= 100; i++ {
			w.mount(fmt.Sprint(i), map[string]string{"shop.yaml": shop(1000 + i)})
			w.settle()
		}
		close(stop)
		<-done
		if n := w.posted("ann"); n != 1100 || asked < 1000 {
			t.Errorf("a limit of %v after %d requests", n, asked)
		}
		if got := w.metrics("weir_config_reloads_total"); got != `{result="ok"} 100` {
			t.Errorf("reloads %s", got)
		}
	})
}

// One bad file keeps the old set, new files are found, and a folder that is empty
// is a mistake: it would let everything pass.
func TestBadFileKeepsTheOldSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		put(t, dir, "shop.yaml", shop(5))
		w := watchAll(t, dir, Options{EnvoyConfig: dir})
		w.settle()
		for _, c := range []struct{ name, text, why string }{
			{"other.yml", "domain: shop\n", `shop.yaml:1:9: the domain "shop" is in ` + dir + `/other.yml:1 too`},
			{"other.yml", "domain: other\ndescriptors: [{key: k, rate_limt: {}}]\n", `/other.yml:2:24: unknown key "rate_limt" in a descriptor: did you mean rate_limit?`},
		} {
			put(t, dir, c.name, c.text)
			w.settle()
			s := w.engine.Status()
			if s.Config.Valid || !strings.Contains(s.Config.Error, c.why) || !s.Ready {
				t.Errorf("%+v\nwant %s", s.Config, c.why)
			}
			line, _ := json.Marshal(c.why)
			if len(w.log.all(strings.Trim(string(line), `"`))) == 0 {
				t.Errorf("not in the log: %s", c.why)
			}
			if n := w.posted("ann"); n != 5 {
				t.Errorf("a limit of %v", n)
			}
		}
		put(t, dir, "other.yml", "domain: other\n")
		put(t, dir, "shop.yaml", shop(6))
		w.settle()
		if s := w.engine.Status(); !s.Config.Valid || w.posted("ann") != 6 {
			t.Errorf("%+v", s.Config)
		}
		w.rename(filepath.Join(dir, "shop.yaml"), filepath.Join(dir, "shop.yaml.old"))
		w.rename(filepath.Join(dir, "other.yml"), filepath.Join(dir, "other.yml.old"))
		w.settle()
		if s := w.engine.Status(); s.Config.Valid || !strings.Contains(s.Config.Error, "no .yaml or .yml file") || w.posted("ann") != 6 {
			t.Errorf("%+v", s.Config)
		}
	})
}

// A reset forgets what an identity has used in a domain.
func TestResetOfADomain(t *testing.T) {
	s := newService(t, "")
	s.engine.use(mustLoad(t, Options{EnvoyConfig: envoyFolder(t, shop(1))}))
	envoy := envoyrls.New(s.engine, envoyrls.Options{})
	ask := func() pb.RateLimitResponse_Code {
		out, err := envoy.ShouldRateLimit(t.Context(), user("ann"))
		if err != nil {
			t.Fatal(err)
		}
		return out.OverallCode
	}
	if ask() != pb.RateLimitResponse_OK || ask() != pb.RateLimitResponse_OVER_LIMIT {
		t.Fatal("not counted")
	}
	if n, err := s.engine.Reset(t.Context(), "envoy/shop", "user=ann"); err != nil || n != 8 {
		t.Errorf("%d %v", n, err)
	}
	if ask() != pb.RateLimitResponse_OK {
		t.Error("still counted")
	}
	if _, err := s.engine.Reset(t.Context(), "envoy/none", "user=ann"); err == nil || !strings.Contains(err.Error(), `there is no domain "none"`) {
		t.Errorf("%v", err)
	}
}

// Limits that requests bring along, each another one for another caller, fill
// neither the memory nor the metrics.
func TestManyOverrides(t *testing.T) {
	s := newService(t, "")
	s.engine.use(mustLoad(t, Options{EnvoyConfig: envoyFolder(t, shop(1))}))
	envoy := envoyrls.New(s.engine, envoyrls.Options{})
	before := heap()
	const requests = 160_000
	for i := range requests {
		in := user(fmt.Sprint(i))
		in.Descriptors[0].Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: uint32(i + 1), Unit: envoytype.RateLimitUnit(1 + i%6)}
		out, err := envoy.ShouldRateLimit(t.Context(), in)
		if err != nil || out.OverallCode != pb.RateLimitResponse_OK {
			t.Fatal(out, err)
		}
	}
	if n := s.store.Len(); n != requests {
		t.Errorf("%d keys", n)
	}
	if grown := heap() - before; grown > 64<<20 {
		t.Errorf("the memory grew by %d MiB", grown>>20)
	}
	port := service{t: t, handler: admin.New(s.engine, s.engine.trail, s.engine.metrics, admin.Options{})}
	text := port.send(request{target: "http://localhost/metrics"}).body
	if len(text) > 1<<20 || !strings.Contains(text, `weir_checks_total{layer="envoy/shop",limit="~override/hour",outcome="allowed"}`) {
		t.Errorf("%d bytes of metrics", len(text))
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// With Redis stopped every call is answered, by the memory: the first ones when
// their budget is over, the others without asking. The deadline leaves each call its
// budget many times over; a call that waited for Redis would wait for ever.
func TestStoppedRedis(t *testing.T) {
	const callers, calls, budget = 50, 10, 20 * time.Millisecond
	const deadline = 100 * calls * budget
	redis := redistest.Start(t)
	d := start(t, Options{
		Config: write(t, "budget: "+budget.String()+"\nlayers: [{name: edge, by: ip, limit: 1/s}]\n"), EnvoyConfig: envoyFolder(t, shop(1000)), Store: "redis://" + redis.Addr,
	})
	client := pb.NewRateLimitServiceClient(dial(t, d.grpc, insecure.NewCredentials()))
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if _, err := client.ShouldRateLimit(ctx, user("ann")); err != nil {
		t.Fatal(err)
	}
	before := d.figure(t, "weir_store_failures_total")
	redis.Pause()
	defer redis.Resume()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range calls {
				out, err := client.ShouldRateLimit(ctx, user("ann"))
				if err != nil || out.OverallCode != pb.RateLimitResponse_OK {
					t.Errorf("%v %v", out, err)
					return
				}
			}
		})
	}
	all.Wait()
	if late := d.figure(t, "weir_store_failures_total") - before; late == 0 || d.figure(t, "weir_degraded_total") < callers*calls || d.figure(t, "weir_store_up") != 0 {
		t.Errorf("%v calls of Redis out of time, %v decided without it, up: %v", late, d.figure(t, "weir_degraded_total"), d.figure(t, "weir_store_up"))
	}
	if s := d.status(t); s.Store.Reachable || !strings.Contains(s.Store.LastFailure, "deadline exceeded") {
		t.Errorf("%+v", s.Store)
	}
}

// figure is a figure of /metrics without labels.
func (r *running) figure(t *testing.T, name string) (value float64) {
	t.Helper()
	in, _ := http.NewRequest(http.MethodGet, r.admin+"/metrics", nil)
	_, text := do(t, in)
	if _, after, found := strings.Cut(text, "\n"+name+" "); !found {
		t.Fatalf("there is no %s", name)
	} else if _, err := fmt.Sscan(after, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
