// This file verifies new bundles. If possible, it verifies only the changes since the accepted bundle.

package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/review/bundle"
	"toolcrib/signing/statement"
)

// head is the newest accepted version of a subject.
type head struct {
	Number int    `json:"number"`
	Hash   string `json:"hash"`
	View   string `json:"view,omitempty"` // name of the view that contains the definition
}

// headsFile is the name of the file that contains the heads of an accepted bundle, keyed by subject.
const headsFile = "heads.json"

// advanced is the result of verifying a new bundle.
type advanced struct {
	heads map[string]head
	views map[string]bundle.Bundle // changed views, keyed by name
}

// viewOf returns the name of the view that contains d, or "" if no view contains d.
func viewOf(d registry.Definition) string {
	switch t := d.Tool; {
	case d.Folder() != nil:
		return filesView
	case t != nil && t.Source != nil && (t.Source.Type == registry.SourceMCP || t.Source.Type == registry.SourceMCPText):
		return serverView(d.Columns().Source)
	}
	return ""
}

// verify verifies all parts of the registry that index describes. heads contains the newest accepted version of each
// subject. If any of these versions is missing in the registry, verify returns ErrRefused.
func (c *Copy) verify(ctx context.Context, index bundle.Index, heads map[string]head) (advanced, error) {
	b, err := index.Join(c.part)
	if err != nil {
		return advanced{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	lives, err := c.check(ctx, b)
	if err != nil {
		return advanced{}, err
	}
	hashes := lists.Set(b.Versions, func(v bundle.Version) string { return v.Subject + " " + v.Hash })
	for subject, h := range heads {
		if !hashes[subject+" "+h.Hash] {
			return advanced{}, fmt.Errorf("%w: version %d of %s is missing, but the accepted copy contains it", ErrRefused, h.Number, subject)
		}
	}
	a := advanced{headsOf(b.Versions, lives), map[string]bundle.Bundle{}}
	of := map[string][]registry.Live{filesView: nil}
	for _, l := range lives {
		if name := viewOf(l.Definition); name != "" {
			of[name] = append(of[name], l)
		}
	}
	for name, lives := range of {
		a.views[name] = b.Only(lives)
	}
	return a, nil
}

func (c *Copy) check(ctx context.Context, b bundle.Bundle) ([]registry.Live, error) {
	result, err := b.Check(ctx, c.Trust)
	if n := len(result.Faults); err == nil && n > 0 {
		err = fmt.Errorf("%w: %s: %s (faults: %d)", ErrRefused, result.Faults[0].Subject, result.Faults[0].Message, n)
	}
	return result.Live, err
}

func headsOf(versions []bundle.Version, lives []registry.Live) map[string]head {
	heads := map[string]head{}
	for _, v := range versions {
		if v.Number > heads[v.Subject].Number {
			heads[v.Subject] = head{Number: v.Number, Hash: v.Hash}
		}
	}
	for _, l := range lives {
		h := heads[l.Subject.String()]
		h.View = viewOf(l.Definition)
		heads[l.Subject.String()] = h
	}
	return heads
}

// advance verifies only the parts that have changed since oldBundle was accepted, which are usually a small fraction of
// the registry. Unchanged parts were verified before, and are verified again when a view is read. If ok is false and
// err is nil, the changes cannot be verified separately, and the caller must verify the complete registry.
func (c *Copy) advance(ctx context.Context, oldBundle Accepted, index bundle.Index, heads map[string]head) (a advanced, ok bool, err error) {
	was, err := c.index(oldBundle)
	files, unread := c.view(oldBundle, filesView)
	if err != nil || unread != nil || was.Database != index.Database || !slices.Equal(was.View, index.View) || index.At.Before(was.At) || index.Log.Seq < was.Log.Seq {
		return a, false, nil
	}
	parts := lists.Set(index.Parts, func(hash string) string { return hash })
	removed, added := was, index
	removed.Parts = slices.DeleteFunc(slices.Clone(was.Parts), func(hash string) bool { return parts[hash] })
	added.Parts = slices.DeleteFunc(slices.Clone(index.Parts), func(hash string) bool { return slices.Contains(was.Parts, hash) })
	if len(parts) < len(index.Parts) || len(added.Parts) > len(index.Parts)/2 {
		return a, false, nil
	}
	before, err := removed.Join(c.part)
	after, failed := added.Join(c.part)
	if err != nil || failed != nil || !reflect.DeepEqual(before.Signers, after.Signers) {
		return a, false, nil
	}
	// Publishing never moves a subject to another part, so every subject of a removed part must be in an added part.
	chains, next := chainsOf(before), chainsOf(after)
	changed := map[string]bool{}
	for subject, chain := range next {
		if _, known := heads[subject]; known && chains[subject] == nil { // the subject is also in an unchanged part
			return a, false, nil
		}
		changed[subject] = !reflect.DeepEqual(chain, chains[subject])
	}
	for subject := range chains {
		if !slices.ContainsFunc(next[subject], func(v bundle.Version) bool { return v.Hash == heads[subject].Hash }) {
			return a, false, nil
		}
	}
	lives, err := newest(after, func(subject string) bool { return changed[subject] })
	if err != nil {
		return a, false, nil //nolint:nilerr // the complete verification will report it
	}
	after.Signers, after.Statements = files.Signers, mergeUnique(after.Statements, files.Statements)
	changes := after.Only(lives)
	if !isComplete(before, after, files, changes) {
		return a, false, nil
	}
	if lives, err = c.check(ctx, changes); err != nil {
		return a, false, err
	}
	a = advanced{maps.Clone(heads), map[string]bundle.Bundle{}}
	views := map[string]bool{filesView: true} // always rewritten, because it contains the header of the bundle
	for subject, h := range headsOf(changes.Versions, lives) {
		views[h.View], views[heads[subject].View] = true, true
		a.heads[subject] = h
	}
	delete(views, "")
	for name := range views {
		v, err := c.view(oldBundle, name)
		if err != nil {
			return a, false, nil //nolint:nilerr // the complete verification writes the view again
		}
		v.Versions = slices.DeleteFunc(v.Versions, func(v bundle.Version) bool { return changed[v.Subject] })
		v = bundle.Bundle{Format: bundle.Format, Header: index.Header, Records: bundle.Records{
			Versions: append(v.Versions, changes.Versions...), Signers: files.Signers,
			Statements: mergeUnique(v.Statements, changes.Statements), Raws: mergeUnique(v.Raws, changes.Raws), Contents: append(v.Contents, changes.Contents...),
		}}
		lives, err := newest(v, func(subject string) bool { return a.heads[subject].View == name })
		if err != nil {
			return a, false, nil //nolint:nilerr // the complete verification writes the view again
		}
		a.views[name] = v.Only(lives)
	}
	return a, true, nil
}

// isComplete reports whether added contains every statement of removed, and whether each statement of added also occurs
// in removed, files, or changes.
func isComplete(removed, added, files, changes bundle.Bundle) bool {
	sum := func(s bundle.Statement) string { return statement.Sum([]byte(s.Statement)) }
	known := lists.Set(slices.Concat(removed.Statements, files.Statements, changes.Statements), sum)
	return !slices.ContainsFunc(added.Statements, func(s bundle.Statement) bool { return !known[sum(s)] }) &&
		!slices.ContainsFunc(removed.Statements, func(s bundle.Statement) bool { return !slices.Contains(added.Statements, s) })
}

func chainsOf(b bundle.Bundle) map[string][]bundle.Version {
	chains := map[string][]bundle.Version{}
	for _, v := range b.Versions {
		chains[v.Subject] = append(chains[v.Subject], v)
	}
	return chains
}

// newest returns the newest version of each subject in b for which keep returns true.
func newest(b bundle.Bundle, keep func(subject string) bool) ([]registry.Live, error) {
	heads := headsOf(b.Versions, nil)
	var lives []registry.Live
	for _, v := range b.Versions {
		if v.Number < heads[v.Subject].Number || !keep(v.Subject) {
			continue
		}
		subject, err := registry.ParseSubject(v.Subject)
		if err != nil {
			return nil, err
		}
		d, err := registry.DecodeDefinition(subject.Kind, v.Definition)
		if err != nil {
			return nil, err
		}
		lives = append(lives, registry.Live{Subject: subject, Version: v.Number, ContentHash: v.ContentHash, Definition: d})
	}
	return lives, nil
}

// mergeUnique returns the concatenation of a and b without duplicates.
func mergeUnique[T comparable](a, b []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(slices.Concat(a, b), func(v T) bool {
		again := seen[v]
		seen[v] = true
		return again
	})
}

// write writes the files of newBundle. For unchanged views, it creates hard links to the files of oldBundle.
func (c *Copy) write(oldBundle, newBundle Accepted, index []byte, a advanced) error {
	dir := filepath.Join(c.Dir, newBundle.Index)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	heads, err := json.Marshal(a.heads)
	if err != nil {
		return err
	}
	names := lists.Set(slices.Collect(maps.Values(a.heads)), func(h head) string { return h.View })
	files := map[string][]byte{IndexFile: index, headsFile: heads}
	for name, view := range a.views {
		encoded, err := view.Encode()
		if err != nil {
			return err
		}
		files[name+".json"] = encoded
		delete(names, name)
	}
	delete(names, "")
	for name := range names {
		if err := os.Link(filepath.Join(c.Dir, oldBundle.Index, name+".json"), filepath.Join(dir, name+".json")); err != nil && !os.IsExist(err) {
			data, err := os.ReadFile(filepath.Join(c.Dir, oldBundle.Index, name+".json"))
			if err != nil {
				return err
			}
			files[name+".json"] = data
		}
	}
	for name, data := range files {
		if err := atomicfile.Write(filepath.Join(dir, name), data, atomicfile.Options{Mode: 0o600}); err != nil {
			return err
		}
	}
	return nil
}
