package signers

import (
	"os"
	"path/filepath"
	"strings"

	"toolcrib/internal/atomicfile"
	"toolcrib/signing/krl"
)

// Unfinished is the new text of one of the files, which a process that was killed
// wrote beside it and did not put in its place.
type Unfinished struct {
	Text []byte
	Part string // the file that has the text
	Name string // the file whose place it takes
}

// FindUnfinished looks into the folder of the signers file for the text that would
// make the files the state with a digest. It returns nil where there is none.
func FindUnfinished(folder, digest string) (*Unfinished, error) {
	found, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	limits := map[string]int64{AllowedFile: MaxSize, RevokedFile: krl.MaxSize}
	present := map[string][]byte{}
	for name, limit := range limits {
		if present[name], err = read(filepath.Join(folder, name), true, limit); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
	}
	for _, entry := range found {
		part := filepath.Join(folder, entry.Name())
		if !strings.HasPrefix(entry.Name(), atomicfile.Temporary) || !entry.Type().IsRegular() {
			continue
		}
		for name, limit := range limits {
			text, err := read(part, true, limit)
			if err != nil {
				continue // somebody else could have written it, or it is too large
			}
			texts := map[string][]byte{AllowedFile: present[AllowedFile], RevokedFile: present[RevokedFile]}
			texts[name] = text
			if s, err := Parse(texts[AllowedFile], texts[RevokedFile]); err == nil && s.Digest() == digest {
				return &Unfinished{Text: text, Part: part, Name: filepath.Join(folder, name)}, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // most folders have none
}

// Finish puts the text in its place.
func (u *Unfinished) Finish() error {
	if err := atomicfile.Write(u.Name, u.Text, atomicfile.Options{Mode: 0o600, Keep: true}); err != nil {
		return err
	}
	return os.Remove(u.Part)
}
