// Command zip packs a folder into a reproducible archive: files are ordered by name, have the same date, and
// retain their modes.
//
//	go run ./tools/release/zip ARCHIVE EPOCH ROOT FOLDER
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "zip:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("expected the arguments ARCHIVE EPOCH ROOT FOLDER")
	}
	epoch, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	out, err := os.Create(args[0])
	if err != nil {
		return err
	}
	w := zip.NewWriter(out)
	err = pack(w, os.DirFS(args[2]), args[3], time.Unix(epoch, 0).UTC())
	return errors.Join(err, w.Close(), out.Close())
}

// pack adds the files below folder, ordered by name.
func pack(w *zip.Writer, files fs.FS, folder string, at time.Time) error {
	return fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		header, err := zip.FileInfoHeader(info)
		if err != nil {
			return err
		}
		header.Name, header.Method, header.Modified = path.Clean(name), zip.Deflate, at
		to, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		from, err := files.Open(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(to, from)
		return errors.Join(err, from.Close())
	})
}
