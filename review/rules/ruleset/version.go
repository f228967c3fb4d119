package ruleset

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"toolcrib/registry/shipped"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/wording"
)

// codeSums has a hash of the Go files of each folder that decides what the rules
// find. TestCodeOfRules in the root of the module keeps it current.
//
//go:embed code.sums
var codeSums string

// Version names everything that decides what the rules find, apart from the
// configuration: a hash of the data that they are embedded with and of their code. It
// is part of every assessment and every review digest. No data is decoded for it.
var Version = sync.OnceValue(func() string {
	return versionOf(codeSums, wording.Tables(), rulebook.Files(), shipped.Files())
})

// versionOf returns the version of rules with the given sums of code, tables, and
// files.
func versionOf(sums string, tables [][]byte, files ...fs.FS) string {
	h := sha256.New()
	part := func(name string, data []byte) {
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	part("code", []byte(sums))
	for _, table := range tables {
		part("table", table)
	}
	buffer := make([]byte, 32<<10) // a file is not copied as a whole
	for _, fsys := range files {
		err := fs.WalkDir(fsys, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			file, err := fsys.Open(path)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%s %d\n", path, info.Size())
			_, err = io.CopyBuffer(h, file, buffer)
			return err
		})
		if err != nil {
			panic("rules: " + err.Error()) // the files are embedded
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
