package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/policy"
)

func newCheck() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "check FILE|DIR...",
		Short: "Validate configurations and print their canonical form",
		Long: `Validate configurations. What is wrong is printed on standard error as
FILE:LINE:COL with what was probably meant, and the exit code is 2. What is right
is printed in its canonical form, secrets and API keys included, with warnings on
standard error. A folder is one for --envoy-config, of which every limit is printed.`,
		Example: `  weir check weir.yaml
  weir check weir.yaml > /dev/null      only what is wrong
  weir check /data/ratelimit/config
  weir check --schema > weir.schema.json`,
		RunE: func(cmd *cobra.Command, files []string) error {
			switch {
			case schema && len(files) > 0:
				return errors.New("check takes a FILE or --schema, not both")
			case schema:
				_, err := cmd.OutOrStdout().Write(policy.Schema())
				return err
			case len(files) == 0:
				return errors.New("check takes a FILE, or --schema")
			}
			return checkFiles(cmd, files)
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the configuration, for editors")
	return cmd
}

// checkFiles goes on after a bad file, so that all is said at once.
func checkFiles(cmd *cobra.Command, files []string) error {
	var failed error
	printed := false
	for _, file := range files {
		canonical, warnings, err := checkFile(file)
		if err != nil {
			printError(cmd.ErrOrStderr(), err)
			failed = errSaid
			continue
		}
		for _, w := range warnings {
			w.Message = "warning: " + w.Message
			fmt.Fprintln(cmd.ErrOrStderr(), w)
		}
		if printed {
			fmt.Fprintln(cmd.OutOrStdout(), "---")
		}
		cmd.OutOrStdout().Write(canonical)
		printed = true
	}
	return failed
}

func checkFile(file string) ([]byte, []policy.Warning, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return checkFolder(file)
	}
	config, _, warnings, err := readPolicy(file)
	if err != nil {
		return nil, nil, err
	}
	return config.Canonical(), warnings, nil
}

// checkFolder prints no canonical form: the files have one of their own.
func checkFolder(folder string) ([]byte, []policy.Warning, error) {
	names, err := descriptor.Files(folder)
	if err != nil {
		return nil, nil, err
	}
	files := make([]descriptor.File, len(names))
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		files[i] = descriptor.File{Name: name, Text: text}
	}
	set, problems, err := descriptor.Load(files)
	if err != nil {
		return nil, nil, err
	}
	warnings := make([]policy.Warning, len(problems))
	for i, p := range problems {
		warnings[i] = policy.Warning{File: p.File, Line: p.Line, Col: p.Col, Message: p.Message, Hint: p.Hint}
	}
	return []byte(strings.Join(append(set.Summary(), ""), "\n")), warnings, nil
}

// compileFile is the policy that a file comes to.
func compileFile(file string) (*policy.Policy, error) {
	_, p, _, err := readPolicy(file)
	return p, err
}

func readPolicy(file string) (*policy.Config, *policy.Policy, []policy.Warning, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, nil, err
	}
	config, err := policy.Parse(file, src)
	if err != nil {
		return nil, nil, nil, err
	}
	o := policy.Options{Secret: []byte(secret("WEIR_SECRET")), BaseDir: filepath.Dir(file)}
	if !strings.HasPrefix(config.Store, "memory:") {
		o.Plans = unaskedPlans{}
	}
	p, warnings, err := config.Compile(o)
	return config, p, warnings, err
}

// unaskedPlans stands for plans in a Redis hash, which is not asked here: no key
// is listed.
type unaskedPlans struct{}

func (unaskedPlans) Plan(string) (name string, listed bool) { return "", false }
