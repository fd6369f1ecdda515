package descriptor

// Request asks about several descriptors at once. Each is decided and charged on
// its own.
type Request struct {
	Domain      string
	Descriptors []Descriptor
}

// Descriptor is one question: which limit applies to these entries, and is there
// room under it?
type Descriptor struct {
	Entries []Entry
	// Hits is the cost, ≥ 0. 0 asks without charging.
	Hits int64
	// GiveBack gives the hits back instead of taking them, down to nothing used.
	GiveBack bool
	// Override is the limit that counts instead of the configured one; nil for
	// none.
	Override *Override
}

// Entry is a key with a value, which may hold any text.
type Entry struct{ Key, Value string }

// Override is a limit that a request brings along. It is a fixed window, never in
// shadow.
type Override struct {
	Requests uint32 // per unit
	Unit     Unit   // not Other
}
