// Package receipt seals what a decision charged into an opaque, signed text, so
// that any process with the same secret can give it back.
//
//	signer := receipt.NewSigner(secret)
//	text := signer.Seal(decision.ID, decision.Charges())
//	id, charges, err := signer.Open(text)
//
// The text says what was charged and to whom in signed but readable form; an
// identity that is a credential is a hash there, as it is in every key.
//
// # Errors
//
// Open fails with [ErrInvalid] alone, so that nobody learns what was wrong with
// a forgery.
package receipt

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/weirhq/weir"
)

// ErrInvalid is a text that no process with this secret has sealed.
var ErrInvalid = errors.New("receipt: not a receipt of this service")

// Signer seals and opens. It is immutable.
type Signer struct{ key [32]byte }

const (
	version = 1
	macSize = 16
	purpose = "weir receipt v1"
)

// NewSigner makes a signer for all processes that share the secret. Without one
// it signs by a random key: its receipts are good in this process alone.
func NewSigner(secret []byte) *Signer {
	s := &Signer{}
	if len(secret) == 0 {
		rand.Read(s.key[:]) // never fails, see its doc
		return s
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(purpose)) // the secret also keys identities: keep the uses apart
	mac.Sum(s.key[:0])
	return s
}

// Seal is the receipt's text, URL-safe.
func (s *Signer) Seal(id weir.ID, charges []weir.Charge) string {
	b := make([]byte, 0, 96)
	b = append(b, version)
	b = binary.BigEndian.AppendUint64(b, uint64(id))
	b = binary.AppendUvarint(b, uint64(len(charges)))
	for _, c := range charges {
		b = appendCharge(b, c)
	}
	return base64.RawURLEncoding.EncodeToString(append(b, s.mac(b)...))
}

func appendCharge(b []byte, c weir.Charge) []byte {
	for _, text := range [...]string{c.Key.Layer, c.Key.Limit, c.Key.Identity} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	rate := c.Limit.Rate()
	for _, n := range [...]int64{
		int64(c.Limit.Algorithm()), rate.Count, rate.Period.Microseconds(), c.Limit.Capacity(), flags(c),
		c.Cost, c.At, c.Before.Whole, c.Before.Frac,
	} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// The flags of a charge.
const (
	countsAll = 1 << iota
	degraded
)

func flags(c weir.Charge) (set int64) {
	if c.Limit.CountsAll() {
		set |= countsAll
	}
	if c.Degraded {
		set |= degraded
	}
	return set
}

func (s *Signer) mac(b []byte) []byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write(b)
	return mac.Sum(nil)[:macSize]
}

// Open reads a receipt's text. Its error is [ErrInvalid].
func (s *Signer) Open(text string) (weir.ID, []weir.Charge, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < macSize {
		return 0, nil, ErrInvalid
	}
	body, mac := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(mac, s.mac(body)) {
		return 0, nil, ErrInvalid
	}
	r := reader{body}
	if r.byte() != version {
		return 0, nil, ErrInvalid
	}
	id := weir.ID(r.uint64())
	charges := make([]weir.Charge, 0, 4)
	for n := r.uvarint(); n > 0; n-- {
		c, ok := r.charge()
		if !ok {
			return 0, nil, ErrInvalid
		}
		charges = append(charges, c)
	}
	return id, charges, nil
}

// reader reads what a Signer wrote; a text cut short reads as zeros, and charge
// finds that those are no limit. Only signed text gets here.
type reader struct{ rest []byte }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.rest = nil
		return make([]byte, min(n, 8))
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte     { return r.take(1)[0] }
func (r *reader) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }
func (r *reader) text() string   { return string(r.take(r.uvarint())) }

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.take(uint64(max(n, 1)))
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	r.take(uint64(max(n, 1)))
	return v
}

func (r *reader) charge() (weir.Charge, bool) {
	c := weir.Charge{Key: weir.Key{Layer: r.text(), Limit: r.text(), Identity: r.text()}}
	algorithm := weir.Algorithm(r.varint())
	rate := weir.Per(r.varint(), time.Duration(r.varint())*time.Microsecond)
	options := []weir.LimitOption{weir.WithAlgorithm(algorithm)}
	if burst := r.varint(); algorithm.HasBurst() {
		options = append(options, weir.WithBurst(burst))
	}
	set := r.varint()
	if set&countsAll != 0 {
		options = append(options, weir.WithCountAll())
	}
	c.Degraded = set&degraded != 0
	c.Cost, c.At = r.varint(), r.varint()
	c.Before = weir.Level{Whole: r.varint(), Frac: r.varint()}
	var err error
	c.Limit, err = weir.NewLimit(rate, options...)
	return c, err == nil
}
