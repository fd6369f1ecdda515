package traefikplugin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{
		{Address: "http://127.0.0.1:8080/check"},
		{Address: "http://127.0.0.1:8080/check", Timeout: "200"},
		{Address: "http://127.0.0.1:8080/check", Timeout: "0s"},
		{Address: "127.0.0.1:8080", Timeout: "200ms"},
	} {
		if _, err := New(t.Context(), http.NotFoundHandler(), &c, "weir"); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// Whoever hangs up while weir is asked does not get past it: otherwise hanging up
// would switch the limit off.
func TestHangUp(t *testing.T) {
	asked := make(chan struct{})
	weir := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer weir.Close()
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the API is called") })
	m, err := New(t.Context(), next, &Config{Address: weir.URL, Timeout: time.Minute.String()}, "weir")
	if err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	go func() {
		<-asked
		hangUp()
	}()
	m.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
}
