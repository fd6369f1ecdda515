package receipt

import (
	"encoding/base64"
	"errors"
	"reflect"
	"testing"

	"github.com/weirhq/weir"
)

func charges(t *testing.T) []weir.Charge {
	t.Helper()
	bucket, err := weir.NewLimit(weir.PerMinute(100), weir.WithBurst(20))
	if err != nil {
		t.Fatal(err)
	}
	window, err := weir.NewLimit(weir.PerHour(5), weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll())
	if err != nil {
		t.Fatal(err)
	}
	return []weir.Charge{
		{Key: weir.Key{Layer: "edge", Limit: "", Identity: "ip:203.0.113.7"}, Limit: bucket, Cost: 3, At: 1_700_000_000_000_001, Before: weir.Level{Whole: 4, Frac: 599_999}},
		{Key: weir.Key{Layer: "a:b", Limit: "\x00", Identity: "{x}"}, Limit: window, Cost: 1, At: 1, Degraded: true},
	}
}

func TestSealedOpensTheSameInEveryProcessWithTheSecret(t *testing.T) {
	want := charges(t)
	text := NewSigner([]byte("s")).Seal(42, want)
	id, got, err := NewSigner([]byte("s")).Open(text)
	if err != nil || id != 42 || !reflect.DeepEqual(got, want) {
		t.Fatalf("Open = %v, %+v, %v; want 42, %+v", id, got, err, want)
	}
}

func TestForgeriesAreRefused(t *testing.T) {
	signer := NewSigner([]byte("s"))
	text := signer.Seal(42, charges(t))
	raw, _ := base64.RawURLEncoding.DecodeString(text)
	for i := range raw {
		forged := append([]byte(nil), raw...)
		forged[i] ^= 1
		if _, _, err := signer.Open(base64.RawURLEncoding.EncodeToString(forged)); !errors.Is(err, ErrInvalid) {
			t.Fatalf("bit of byte %d flipped: %v, want ErrInvalid", i, err)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "short": "AAAA", "no base64": "***", "padded": text + "=", "cut": text[:len(text)-4],
		"another secret": NewSigner([]byte("other")).Seal(42, charges(t)),
		"no secret":      NewSigner(nil).Seal(42, charges(t)),
	} {
		if _, _, err := signer.Open(text); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

func FuzzOpenNeverPanics(f *testing.F) {
	signer := NewSigner([]byte("s"))
	f.Add([]byte{version, 0, 0, 0, 0, 0, 0, 0, 1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		// Signed by us, whatever it holds.
		signer.Open(base64.RawURLEncoding.EncodeToString(append(body, signer.mac(body)...)))
	})
}
