package descriptor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFolders is how deep folders are looked into: a symlink can lead back up.
const maxFolders = 8

// Files are the YAML files in a folder and in those below, sorted. Hidden names are
// passed over: there Kubernetes keeps the files that the others point to. None at
// all is an error, for without limits everything passes.
func Files(folder string) ([]string, error) {
	names, err := filesIn(folder, maxFolders)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: there is no .yaml or .yml file in this folder", folder)
	}
	return names, err
}

func filesIn(folder string, depth int) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := os.Stat(name) // what a symlink points to
		switch {
		case err != nil:
			return nil, err
		case info.IsDir() && depth == 0:
			return nil, fmt.Errorf("descriptor: %s: folders are nested too deep", name)
		case info.IsDir():
			below, err := filesIn(name, depth-1)
			if err != nil {
				return nil, err
			}
			names = append(names, below...)
		case !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)):
		case !info.Mode().IsRegular(): // a pipe, say, would be waited for
			return nil, fmt.Errorf("descriptor: %s is no regular file", name)
		default:
			names = append(names, name)
		}
	}
	return names, nil
}
