package main

import (
	"bytes"
	"sync/atomic"
	"testing"
)

func TestProgressBar(t *testing.T) {
	tests := []struct {
		read, size int64
		want       string
	}{
		{0, 40_000_000, "[                                        ]   0% of 40 MB"},
		{10_000_000, 40_000_000, "[##########                              ]  25% of 40 MB"},
		{40_000_000, 40_000_000, "[########################################] 100% of 40 MB"},
		{50_000_000, 40_000_000, "[########################################] 100% of 40 MB"}, // a log that grew meanwhile
		{7_000_000, 0, "7 MB read"},
	}
	for _, test := range tests {
		if got := progressBar(test.read, test.size); got != test.want {
			t.Errorf("%d of %d is %q, want %q", test.read, test.size, got, test.want)
		}
	}
}

// Nobody watches what is not a terminal.
func TestNoProgressInAFile(t *testing.T) {
	var out bytes.Buffer
	var read atomic.Int64
	showProgress(&out, &read, 1)()
	if out.Len() > 0 {
		t.Errorf("it wrote %q", out.String())
	}
}
