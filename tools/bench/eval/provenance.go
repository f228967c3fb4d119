package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// command learns the tables and writes them; docs/detection-methods.md has it too.
const command = "go run ./tools/bench/eval -data FOLDER -learn -write"

// provenanceFile lists the texts from which the learned tables come.
const provenanceFile = "review/rules/wording/learned.txt"

// provenance returns the content of provenanceFile for a repository: the command, and
// the hashes of its training texts and of the tables. It differs from the file when a
// table or a training text was changed without the other.
func provenance(repo string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Made by: %s\nSHA-256 of what it read in this repository and of what it wrote:\n", command)
	root := os.DirFS(repo)
	for _, pattern := range []string{"tools/bench/eval/training/*", "review/rules/wording/learned_*.bin"} {
		files, err := fs.Glob(root, pattern)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			raw, err := fs.ReadFile(root, file)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(raw), file)
		}
	}
	return b.String(), nil
}

// noteProvenance writes provenanceFile.
func noteProvenance(repo string) error {
	text, err := provenance(repo)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(repo, filepath.FromSlash(provenanceFile)), []byte(text), 0o644)
}
