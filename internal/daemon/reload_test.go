package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// edge is a configuration of one layer that admits n.
func edge(n int) string {
	return fmt.Sprintf("layers:\n  - {name: edge, by: ip, limit: %d/min, algorithm: fixed-window}\n", n)
}

// B41: every way to change a file is noticed within a second, and once.
func TestEveryEditIsOneReload(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(w *watched)
	}{
		{"in place", func(w *watched) { put(w.t, w.dir, "weir.yaml", edge(9)) }},
		{"in place, to the same length", func(w *watched) {
			put(w.t, w.dir, "weir.yaml", edge(9))
			os.Chtimes(w.file, time.Unix(1, 0), time.Unix(1, 0))
		}},
		{"renamed over", func(w *watched) { w.rename(put(w.t, w.dir, "new", edge(9)), w.file) }},
		{"deleted and created", func(w *watched) {
			os.Remove(w.file)
			put(w.t, w.dir, "weir.yaml", edge(9))
		}},
		{"in two halves, the first of them valid", func(w *watched) {
			put(w.t, w.dir, "weir.yaml", edge(1))
			time.Sleep(pollEvery * 3 / 2)
			put(w.t, w.dir, "weir.yaml", edge(9)+"  - {name: other, by: ip, limit: 90/min}\n")
		}},
		{"emptied, then written", func(w *watched) {
			put(w.t, w.dir, "weir.yaml", "")
			time.Sleep(pollEvery * 3 / 2)
			put(w.t, w.dir, "weir.yaml", edge(9))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, edge(5), func(w *watched) {
				w.settle()
				w.expect("5", 0, 0, "")
				c.edit(w)
				w.settle()
				w.expect("9", 1, 0, "")
				w.settle()
				w.expect("9", 1, 0, "")
			})
		})
	}
}

func (w *watched) rename(from, to string) {
	w.t.Helper()
	if err := os.Rename(from, to); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) symlink(target, name string) {
	w.t.Helper()
	if err := os.Symlink(target, filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

// mount swaps ..data to a new folder with these files, as Kubernetes does.
func (w *watched) mount(version string, files map[string]string) {
	w.t.Helper()
	folder := filepath.Join(w.dir, "..2024_"+version)
	if err := os.Mkdir(folder, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for name, text := range files {
		put(w.t, folder, name, text)
	}
	w.symlink("..2024_"+version, "..data_tmp")
	w.rename(filepath.Join(w.dir, "..data_tmp"), filepath.Join(w.dir, "..data"))
}

// B41: a folder mounted as a ConfigMap, with two files that change together.
func TestKubernetesSwapIsOneReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := func(n string) string {
			return "plans: {free: " + n + "/min}\nclients: {file: keys.yaml}\nlayers: [{name: l, by: client, limit: plan}]\n"
		}
		w := &watched{service: &service{t: t}, dir: t.TempDir()}
		w.mount("1", map[string]string{"weir.yaml": config("5"), "keys.yaml": "k1: free\n"})
		w.symlink("..data/weir.yaml", "weir.yaml")
		w.symlink("..data/keys.yaml", "keys.yaml")
		w = watch(t, w.dir, filepath.Join(w.dir, "weir.yaml"))
		limit := func(key string) string {
			return w.send(request{target: "/check?peek=1", header: map[string]string{"X-API-Key": key}}).header.Get("X-RateLimit-Limit")
		}
		w.settle()
		if limit("k1") != "5" || limit("k2") != "" {
			t.Fatalf("limits %q, %q", limit("k1"), limit("k2"))
		}

		w.mount("2", map[string]string{"weir.yaml": config("9"), "keys.yaml": "k2: free\n"})
		w.settle()
		if limit("k1") != "" || limit("k2") != "9" {
			t.Errorf("limits %q, %q", limit("k1"), limit("k2"))
		}
		w.mount("3", map[string]string{"weir.yaml": config("9"), "keys.yaml": "k2: pro\n"})
		w.settle()
		w.expect("", 1, 1, w.dir+"/keys.yaml:1:5: ")
		w.mount("4", map[string]string{"weir.yaml": config("9"), "keys.yaml": "k1: free\nk2: free\n"})
		w.settle()
		if limit("k1") != "9" || limit("k2") != "9" {
			t.Errorf("limits %q, %q", limit("k1"), limit("k2"))
		}
		w.expect("", 2, 1, "")
	})
}

// B41: a bad file leaves the one before in use, and says where it is wrong.
func TestBadFileLeavesTheOneBefore(t *testing.T) {
	for _, c := range []struct {
		name, text string // "" removes the file
		why        string // after the file's name
	}{
		{"half of it", edge(9)[:len(edge(9))/2], ":2:5: "},
		{"a layer twice", edge(9) + "  - {name: edge, by: ip, limit: 9/s}\n", ":3:12: a second layer"},
		{"a misspelt field", edge(9) + "budgt: 20ms\n", ":3:1: "},
		{"a limit that is none", "layers: [{name: edge, by: ip, limit: 9/mn}]\n", ":1:38: "},
		{"nothing", "\n", ":1:1: the file is empty"},
		{"no layers", "budget: 20ms\n", ":1:1: there are no layers"},
		{"no file", "", ": no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inBubble(t, edge(5), func(w *watched) {
				if c.text == "" {
					os.Remove(w.file)
				} else {
					put(t, w.dir, "weir.yaml", c.text)
				}
				w.settle()
				w.expect("5", 0, 1, w.file+c.why)
				w.settle() // and does not say so again and again
				w.expect("5", 0, 1, w.file+c.why)
				put(w.t, w.dir, "weir.yaml", edge(9))
				w.settle()
				w.expect("9", 1, 1, "")
			})
		})
	}
}

// A file that a refused configuration names is watched too: when it comes, the
// configuration is tried again.
func TestMissingKeyFileIsWaitedFor(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		put(w.t, w.dir, "weir.yaml", "plans: {free: 9/min}\nclients: {file: keys.yaml}\n"+edge(9))
		w.settle()
		w.expect("5", 0, 1, w.file+":2:17: open ")
		put(w.t, w.dir, "keys.yaml", "k1: free\n")
		w.settle()
		w.expect("9", 1, 1, "")
	})
}

func TestTheSameContentIsNoReload(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		put(w.t, w.dir, "weir.yaml", edge(5))
		w.rename(put(w.t, w.dir, "new", edge(5)), w.file)
		w.settle()
		w.expect("5", 0, 0, "")
	})
}

// A configuration from a pipe is read once: to look again would wait for ever, or
// find it empty.
func TestPipeIsNotLookedAtAgain(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(pipe, []byte(edge(5)), 0o600)
	_, read, err := load(&Options{Config: pipe})
	if err != nil {
		t.Fatal(err)
	}
	looked := make(chan contents, 1)
	go func() { looked <- read.look() }()
	select {
	case found := <-looked:
		if !found.equal(read) {
			t.Error("it is taken to have changed")
		}
	case <-time.After(patience):
		t.Fatal("the look waits for somebody to write")
	}
}

// SIGHUP reloads at once, changed or not.
func TestHangupReloadsAtOnce(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		put(w.t, w.dir, "weir.yaml", edge(9))
		w.hup <- syscall.SIGHUP
		synctest.Wait()
		w.expect("9", 1, 0, "")
		w.hup <- syscall.SIGHUP
		synctest.Wait()
		w.expect("9", 2, 0, "")
		w.settle() // the watcher has seen it already
		w.expect("9", 2, 0, "")
	})
}

// A changed limit keeps what was used: raised, the new room is there at once;
// lowered, nothing is left, and never less than that.
func TestChangedLimitKeepsWhatWasUsed(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		w.spend(4, request{target: "/check"})
		for _, c := range []struct {
			limit int
			left  string
		}{{5, "1"}, {9, "5"}, {3, "0"}, {6, "2"}} {
			put(w.t, w.dir, "weir.yaml", edge(c.limit))
			w.settle()
			if got := w.send(request{target: "/check?peek=1&cost=0"}).header.Get("X-RateLimit-Remaining"); got != c.left {
				t.Errorf("at %d/min %s are left, want %s", c.limit, got, c.left)
			}
		}
	})
}

// What only a restart changes is not passed over in silence.
func TestSettingsThatTakeARestart(t *testing.T) {
	inBubble(t, edge(5), func(w *watched) {
		put(w.t, w.dir, "weir.yaml", "max_keys: 10\nbudget: 5ms\ndeny_cache: off\nshare: 3\nstore: redis://localhost:6379\n"+edge(9))
		w.settle()
		w.expect("9", 1, 0, "")
		for _, name := range []string{"store", "max_keys", "budget", "deny_cache", "share"} {
			if len(w.log.all(`"this setting takes effect after a restart","setting":"`+name+`"`)) != 1 {
				t.Errorf("nothing is said of %s: %s", name, w.log.all(""))
			}
		}
	})
}
