package clientip

import (
	"fmt"
	"net/netip"
)

// Bits of an address that make an identity by default.
const (
	// DefaultIPv4Bits is a whole IPv4 address.
	DefaultIPv4Bits = 32
	// DefaultIPv6Bits is the network of one IPv6 site's link: a host picks
	// the other 64 bits as it likes (RFC 8981), so they identify nobody.
	DefaultIPv6Bits = 64
)

// MaxKeyLen is the longest key that [Masks.AppendKey] appends, in bytes.
const MaxKeyLen = len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127")

// nat64 is the Well-Known Prefix of RFC 6052: the IPv4 address is its tail.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Masks says how much of an address is the identity that a limit counts by.
// The zero value uses [DefaultIPv4Bits] and [DefaultIPv6Bits].
//
//   - IPv4, and IPv4-mapped IPv6, which is the same client in another
//     spelling: IPv4 bits.
//   - NAT64 of the Well-Known Prefix 64:ff9b::/96: the prefix and IPv4 bits of
//     the embedded address, so that all of IPv4 is not one client. It is not
//     shared with the native IPv4 address: only the network in between vouches
//     for the embedding, and it must not spend what the native caller has.
//   - Any other IPv6: IPv6 bits. That includes network-specific NAT64
//     prefixes, among them 64:ff9b:1::/48 of RFC 8215, whose form does not say
//     where the IPv4 address is: behind such a translator use 128 bits.
type Masks struct {
	// ipv4 and ipv6 are bits; 0 stands for the default.
	ipv4, ipv6 uint8
}

// MaskError reports a number of bits that is no identity.
type MaskError struct {
	// Family is "IPv4" or "IPv6".
	Family string
	// Bits is the refused number.
	Bits int
	// Max is the largest number of the family; the smallest is 1.
	Max int
}

// Error names the family, the number and the range.
func (e *MaskError) Error() string {
	return fmt.Sprintf("clientip: %s prefix length %d: want 1 to %d", e.Family, e.Bits, e.Max)
}

// NewMasks checks the two prefix lengths at once, so that a bad one is found
// before its family's first request: ipv4Bits from 1 to 32, ipv6Bits from 1 to
// 128. The error is a *[MaskError]; for both, it is that of IPv4.
func NewMasks(ipv4Bits, ipv6Bits int) (Masks, error) {
	if ipv4Bits < 1 || ipv4Bits > 32 {
		return Masks{}, &MaskError{Family: "IPv4", Bits: ipv4Bits, Max: 32}
	}
	if ipv6Bits < 1 || ipv6Bits > 128 {
		return Masks{}, &MaskError{Family: "IPv6", Bits: ipv6Bits, Max: 128}
	}
	return Masks{ipv4: uint8(ipv4Bits), ipv6: uint8(ipv6Bits)}, nil
}

// Network is the identity of addr as a masked prefix. Spelling and zone do not
// matter. The zero Addr has none: the result is the zero Prefix.
func (m Masks) Network(addr netip.Addr) netip.Prefix {
	addr = canonical(addr)
	// The lengths fit the family, and Prefix is zero for the zero Addr: the
	// error says nothing that the result does not.
	network, _ := addr.Prefix(m.bits(addr))
	return network
}

func (m Masks) bits(addr netip.Addr) int {
	ipv4, ipv6 := DefaultIPv4Bits, DefaultIPv6Bits
	if m.ipv4 != 0 {
		ipv4 = int(m.ipv4)
	}
	if m.ipv6 != 0 {
		ipv6 = int(m.ipv6)
	}
	switch {
	case addr.Is4():
		return ipv4
	case nat64.Contains(addr):
		return nat64.Bits() + ipv4
	}
	return ipv6
}

// AppendKey appends the canonical text of addr's identity to dst, at most
// [MaxKeyLen] bytes: "203.0.113.7" for a whole address, "2001:db8:1:2::/64"
// for a network. The zero Addr has no identity: ok is false and dst unchanged,
// because an empty key would be one bucket for everybody.
func (m Masks) AppendKey(dst []byte, addr netip.Addr) (key []byte, ok bool) {
	network := m.Network(addr)
	switch {
	case !network.IsValid():
		return dst, false
	case network.IsSingleIP():
		return network.Addr().AppendTo(dst), true
	}
	return network.AppendTo(dst), true
}
