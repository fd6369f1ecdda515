package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/policy"
)

func newCheck() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Validate configurations and print their canonical form",
		Long: `Validate configurations. What is wrong is printed as FILE:LINE:COL with what was
probably meant, and the exit code is 2. What is right is printed in its canonical
form, with warnings on standard error.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if schema {
				_, err := cmd.OutOrStdout().Write(policy.Schema())
				return err
			}
			if len(files) == 0 {
				return fmt.Errorf("check needs a FILE, or --schema")
			}
			return checkFiles(cmd, files)
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the configuration")
	return cmd
}

// checkFiles goes on after a bad file, so that all is said at once.
func checkFiles(cmd *cobra.Command, files []string) error {
	var failed error
	for i, file := range files {
		canonical, warnings, err := checkFile(file)
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), err)
			failed = errSaid
			continue
		}
		for _, w := range warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), w)
		}
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "---")
		}
		cmd.OutOrStdout().Write(canonical)
	}
	return failed
}

func checkFile(file string) ([]byte, []policy.Warning, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	config, err := policy.Parse(file, src)
	if err != nil {
		return nil, nil, err
	}
	_, warnings, err := config.Compile(policy.Options{Secret: []byte(os.Getenv("WEIR_SECRET")), BaseDir: filepath.Dir(file)})
	if err != nil {
		return nil, nil, err
	}
	return config.Canonical(), warnings, nil
}
