// Package deploy holds what weir is deployed with; its tests hold the files
// against the program.
package deploy

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir/policy"
)

// manifest is the part of a Kubernetes object that has to agree with weir.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct{ Spec podSpec }
		Ports    []struct{ Name string }
	}
}

type podSpec struct{ Containers []container }

type container struct {
	Args           []string
	Ports          []port
	ReadinessProbe probe   `yaml:"readinessProbe"`
	LivenessProbe  probe   `yaml:"livenessProbe"`
	VolumeMounts   []mount `yaml:"volumeMounts"`
}

type probe struct {
	Get struct{ Path, Port string } `yaml:"httpGet"`
}

type mount struct {
	MountPath string `yaml:"mountPath"`
	SubPath   string `yaml:"subPath"`
}

type port struct {
	Name          string
	ContainerPort int `yaml:"containerPort"`
}

func manifests(t *testing.T) map[string]manifest {
	t.Helper()
	src, err := os.ReadFile("kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]manifest{}
	for decoder := yaml.NewDecoder(bytes.NewReader(src)); ; {
		var one manifest
		if err := decoder.Decode(&one); err == io.EOF {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found[one.Kind] = one
	}
}

// The policy in the ConfigMap is one that weir takes, without a warning but that
// about the secret, which is in the Secret.
func TestPolicyOfTheConfigMap(t *testing.T) {
	config, err := policy.Parse("weir.yaml", []byte(manifests(t)["ConfigMap"].Data["weir.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	if _, warnings, err := config.Compile(policy.Options{Secret: []byte("of the Secret weir")}); err != nil || len(warnings) > 0 {
		t.Error(err, warnings)
	}
}

// Each port is one that the container's arguments open, and the probes ask where
// the admin port answers.
func TestPortsAndProbes(t *testing.T) {
	all := manifests(t)
	c := all["Deployment"].Spec.Template.Spec.Containers[0]
	for _, p := range c.Ports {
		if i := slices.Index(c.Args, "--"+p.Name); i < 0 || c.Args[i+1] != ":"+strconv.Itoa(p.ContainerPort) {
			t.Errorf("port %s is %d, and the arguments are %q", p.Name, p.ContainerPort, c.Args)
		}
	}
	for _, p := range all["Service"].Spec.Ports {
		if !slices.ContainsFunc(c.Ports, func(own port) bool { return own.Name == p.Name }) {
			t.Errorf("the Service's port %s is none of the container's", p.Name)
		}
	}
	if p := c.ReadinessProbe.Get; p.Path != "/readyz" || p.Port != "admin" {
		t.Errorf("readiness asks %+v", p)
	}
	if p := c.LivenessProbe.Get; p.Path != "/healthz" || p.Port != "admin" {
		t.Errorf("liveness asks %+v", p)
	}
	if m := c.VolumeMounts[0]; m.SubPath != "" || !slices.Contains(c.Args, m.MountPath+"/weir.yaml") {
		t.Errorf("the policy is mounted as %+v, and the arguments are %q", m, c.Args)
	}
}

// What the files start is accepted by the program: every flag is one of its.
func TestCommandsAreWeirs(t *testing.T) {
	weir := build(t)
	help, err := exec.Command(weir, "serve", "-h").Output()
	if err != nil {
		t.Fatal(err)
	}
	commands := append([]string{}, manifests(t)["Deployment"].Spec.Template.Spec.Containers[0].Args...)
	for _, file := range []string{"weir.service", "Dockerfile"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, regexp.MustCompile(`--[a-z][a-z-]+`).FindAllString(started(string(src)), -1)...)
	}
	flags := 0
	for _, word := range commands {
		if strings.HasPrefix(word, "--") {
			flags++
			if !bytes.Contains(help, []byte("  "+word+" ")) {
				t.Errorf("weir serve has no %s", word)
			}
		}
	}
	if flags < 7 {
		t.Errorf("only %d flags were found: the test looks in the wrong place", flags)
	}
}

// started are the lines that start weir.
func started(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "ExecStart=") || strings.HasPrefix(line, "CMD ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// The binary that the image holds needs nothing else there.
func TestBinaryIsStatic(t *testing.T) {
	file, err := elf.Open(build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("it wants %q (%v)", libraries, err)
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("it wants a loader")
		}
	}
}

var binary struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(binary.dir)
	os.Exit(code)
}

// build makes the binary as the Dockerfile does, once.
func build(t *testing.T) string {
	t.Helper()
	binary.once.Do(func() { binary.dir, binary.err = buildStatic() })
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return filepath.Join(binary.dir, "weir")
}

func buildStatic() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "weir-deploy-"); err != nil {
		return dir, err
	}
	weir := filepath.Join(dir, "weir")
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", weir, "../cmd/weir")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := command.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
}
