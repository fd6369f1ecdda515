package clientip_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

func TestSource(t *testing.T) {
	tests := []struct {
		source     clientip.Source
		text, name string
	}{
		{clientip.None, "none", ""},
		{clientip.XForwardedFor, "x-forwarded-for", "X-Forwarded-For"},
		{clientip.Forwarded, "forwarded", "Forwarded"},
		{clientip.XRealIP, "x-real-ip", "X-Real-Ip"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			for _, text := range []string{tt.text, strings.ToUpper(tt.text), http.CanonicalHeaderKey(tt.text)} {
				if got, err := clientip.ParseSource(text); got != tt.source || err != nil {
					t.Errorf("ParseSource(%q) = %v, %v; want %v", text, got, err, tt.source)
				}
			}
			if tt.source.String() != tt.text || tt.source.Name() != tt.name {
				t.Errorf("String() = %q, Name() = %q; want %q, %q", tt.source.String(), tt.source.Name(), tt.text, tt.name)
			}
			if tt.name != http.CanonicalHeaderKey(tt.name) {
				t.Errorf("Name() = %q is not a key of an http.Header", tt.name)
			}
		})
	}
	beyond := clientip.Source(4)
	if beyond.String() != "source(4)" || beyond.Name() != "" {
		t.Errorf("beyond the constants: %q, %q", beyond.String(), beyond.Name())
	}
}

func TestSourceError(t *testing.T) {
	for _, text := range []string{"", "xff", "x-forwarded", " forwarded", "X_Real_IP"} {
		source, err := clientip.ParseSource(text)
		var bad *clientip.SourceError
		if source != clientip.None || !errors.As(err, &bad) || bad.Text != text {
			t.Errorf("ParseSource(%q) = %v, %v; want None and a *SourceError", text, source, err)
			continue
		}
		for _, offered := range []string{"none", "x-forwarded-for", "forwarded", "x-real-ip"} {
			if !strings.Contains(err.Error(), offered) {
				t.Errorf("%v: does not offer %s", err, offered)
			}
		}
	}
}
