package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// newCompletion replaces cobra's, which takes a shell that it does not know for a
// wish for help.
func newCompletion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print a script that completes commands and flags",
		Example: `  source <(weir completion bash)
  weir completion zsh > "${fpath[1]}/_weir"
  weir completion fish > ~/.config/fish/completions/weir.fish`,
		ValidArgs:             shells,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("completion takes one of %s", strings.Join(shells, ", "))
			}
			return completion(cmd.Root(), args[0], cmd.OutOrStdout())
		},
	}
}

func completion(root *cobra.Command, shell string, w io.Writer) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return fmt.Errorf("completion is for bash, zsh and fish, not for %q", shell)
}
