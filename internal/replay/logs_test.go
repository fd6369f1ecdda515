package replay

import (
	"slices"
	"testing"
	"time"
)

// Real logs are read whole.
func TestRealLogs(t *testing.T) {
	tests := []struct {
		file, format                       string
		requests, callers, lines, rejoined int64
	}{
		{"nginx_api_9days.log.gz", "combined", 10_479, 917, 16_275, 5_796},
		{"nginx_combined_500.log", "combined", 500, 109, 500, 0},
		{"nginx_json_500.log", "json", 500, 109, 500, 0},
		{"caddy_json_500.log", "caddy", 500, 109, 500, 0},
		{"haproxy_http_500.log", "haproxy", 500, 109, 500, 0},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			r := file(t, "", test.file)
			f := r.Files[0]
			if f.Format != test.format || f.Requests != test.requests || f.Lines != test.lines || f.Rejoined != test.rejoined {
				t.Errorf("%+v, want %+v", f, test)
			}
			if r.Requests != test.requests || r.Callers != test.callers || r.Unparsed != 0 || r.Late != 0 {
				t.Errorf("%d requests, %d callers, %d not understood, %d late", r.Requests, r.Callers, r.Unparsed, r.Late)
			}
		})
	}
}

// Nine days at 60 for each address, by the log's own clock. What must be refused
// was counted without weir; $4 is cut after the hour or after the minute:
//
//	zcat nginx_api_9days.log.gz | awk '/^1/ { n[$1, substr($4, 2, 14)]++ }
//	END { for (k in n) if (n[k] > 60) { refused += n[k] - 60; split(k, a, SUBSEP); who[a[1]] }
//	      for (c in who) callers++; print refused, callers }'
func TestNineDaysRefuseWhatAwkCounts(t *testing.T) {
	tests := []struct {
		limit            string
		refused, callers int64
	}{
		{"60/h", 4609, 5},
		{"60/min", 273, 3},
	}
	for _, test := range tests {
		r := file(t, "layers: [{name: edge, by: ip, limit: "+test.limit+", algorithm: fixed-window}]", "nginx_api_9days.log.gz")
		if r.Refused != test.refused || r.CallersRefused != test.callers {
			t.Errorf("%s refuses %d requests of %d callers, want %d of %d", test.limit, r.Refused, r.CallersRefused, test.refused, test.callers)
		}
		l := r.Layers[0]
		own := l.Ladder[slices.IndexFunc(l.Ladder, func(s Step) bool { return s.Count == 60 })]
		if own != (Step{60, test.callers, test.refused}) {
			t.Errorf("%s on the ladder is %+v", test.limit, own)
		}
	}
}

// The greatest counts in a calendar minute by address are, again by awk, 164, 100,
// 76, 29, 28, 28, 27, 26, 26, 25 …, and the 46th is 3.
func TestNineDaysSuggestWhatAwkCounts(t *testing.T) {
	r := file(t, "layers: [{name: edge, by: ip, limit: 60/min, algorithm: fixed-window}]", "nginx_api_9days.log.gz")
	if got, want := r.Layers[0].Suggest, (Shares{164, 25, 3}); got != want {
		t.Errorf("suggests %v, want %v", got, want)
	}
	if p := r.Peaks; p.P50 != 1 || p.P99 != 25 || p.Max != 164 {
		t.Errorf("peaks %+v", p)
	}
	if from, to := r.From.Format(time.DateTime), r.To.Format(time.DateTime); from != "2024-05-12 00:00:17" || to != "2024-05-20 23:54:29" {
		t.Errorf("from %s to %s", from, to)
	}
}
