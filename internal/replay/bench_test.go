package replay

import (
	"bytes"
	"fmt"
	"testing"
)

// What a line of a log costs, from text to report. The log has 1,000 callers at
// the default policy.
func BenchmarkReplay(b *testing.B) {
	var log bytes.Buffer
	const n = 50_000
	for i := range n {
		log.WriteString(line(fmt.Sprintf("10.0.%d.%d", i*7%1000/250, i*7%250), i/100, []string{"/", "/search", "/items/7"}[i%3]))
	}
	p := compile(b, "")
	b.SetBytes(int64(log.Len()))
	b.ReportAllocs()
	for b.Loop() {
		report, err := Run(b.Context(), []Input{{Name: "log", Reader: bytes.NewReader(log.Bytes())}}, Options{Policy: p})
		if err != nil || report.Requests != n || report.Callers != 1000 {
			b.Fatalf("%+v, %v", report, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/line")
	b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkParse(b *testing.B) {
	for format, text := range map[string]string{
		"combined": line("203.0.113.7", 0, "/search?q=weir"),
		"caddy":    `{"level":"info","ts":1796094054.0025136,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","client_ip":"203.0.113.7","proto":"HTTP/1.1","method":"GET","host":"api.example.com","uri":"/a","headers":{"User-Agent":["curl/8"],"Accept":["*/*"]}},"bytes_read":0,"duration":0.000135713,"size":2,"status":200}`,
	} {
		b.Run(format, func(b *testing.B) {
			f, _ := formatOf(format)
			p := f.make()
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var e entry
				if p(text, &e) != record {
					b.Fatal("not a record")
				}
			}
		})
	}
}
