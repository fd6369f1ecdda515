package policy

import "github.com/weirhq/weir"

// inherit fills in what is around a LIMIT. A burst or count: all that was not
// written for this algorithm is left behind.
func (k *compiler) inherit(own Settings, path string, around Settings) Settings {
	if own.Algorithm == "" {
		own.Algorithm = around.Algorithm
	}
	a := algorithmOf(own.Algorithm)
	if own.Burst != 0 && !a.HasBurst() {
		k.fail(inField(path, "burst"), "remove it, or choose gcra or token-bucket", "burst does not exist for %s", a)
	}
	if own.Count == "all" && a != weir.FixedWindow {
		k.fail(inField(path, "count"), "remove it, or write algorithm: fixed-window", "count: all does not exist for %s", a)
	}
	if own.Burst == 0 && a.HasBurst() {
		own.Burst = around.Burst
	}
	if own.Count == "" && a == weir.FixedWindow {
		own.Count = around.Count
	}
	k.checkCost(inField(path, "cost"), own.Cost)
	if own.Cost == (Cost{}) {
		own.Cost = around.Cost
	}
	if own.OnError == "" {
		own.OnError = around.OnError
	}
	if own.Lease == 0 {
		own.Lease = around.Lease
	}
	own.Shadow = own.Shadow || around.Shadow
	own.Candidate = nil
	return own
}

// algorithmOf reads a name that was checked by its tag.
func algorithmOf(name string) weir.Algorithm {
	a, _ := weir.ParseAlgorithm(name) // "" gives GCRA, the default
	return a
}

func limitOptions(s Settings) []weir.LimitOption {
	options := []weir.LimitOption{weir.WithAlgorithm(algorithmOf(s.Algorithm))}
	if s.Burst != 0 && algorithmOf(s.Algorithm).HasBurst() {
		options = append(options, weir.WithBurst(s.Burst))
	}
	if s.Count == "all" && algorithmOf(s.Algorithm) == weir.FixedWindow {
		options = append(options, weir.WithCountAll())
	}
	return options
}
