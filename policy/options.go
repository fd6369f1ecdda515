package policy

// Options are what [Config.Compile] needs beside the configuration. The zero
// value compiles all layers with the configuration's own secret, and reads key
// files from the folder of its file.
type Options struct {
	// Layers names the layers to run, for an instance that runs a subset; their
	// order stays the configuration's. Empty is all. A name that is none is an
	// error.
	Layers []string
	// Secret is what API keys are hashed with; it wins over the
	// configuration's. Without either they are hashed plainly, with a warning.
	Secret []byte
	// BaseDir is the folder that relative names of key files start from. "" is
	// the folder of the configuration's file.
	BaseDir string
	// ReadFile reads a key file; nil is [os.ReadFile].
	ReadFile func(name string) ([]byte, error)
	// Plans answers for a configuration that takes plans from a Redis hash. nil
	// is an error where one does.
	Plans PlanSource
}

// PlanSource knows the plans of API keys, from outside the configuration. It is
// asked once for each request, so it answers from memory and never blocks:
// whoever implements it refreshes what it holds on its own time. It may be used
// from many goroutines at once.
type PlanSource interface {
	// Plan is the name of the key's plan; listed is false for a key that is not
	// known. A name that the configuration does not define counts as not listed.
	Plan(key string) (name string, listed bool)
}
