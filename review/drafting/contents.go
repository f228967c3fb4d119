package drafting

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// keepContents stores the bytes of the binary files of a draft that are known here and not
// stored yet. f may be nil.
func (d *Drafter) keepContents(ctx context.Context, tx review.Tx, f *registry.Folder) error {
	if f == nil || d.contents == nil {
		return nil
	}
	for _, name := range f.Paths() {
		file := f.Files[name]
		if !file.Binary() {
			continue
		}
		_, stored, err := tx.Content(ctx, file.SHA256)
		var data []byte
		if err == nil && !stored {
			data, err = d.contents(file.SHA256)
		}
		switch {
		case err != nil:
			return err
		case data == nil:
		case registry.HashBytes(data) != file.SHA256:
			return fmt.Errorf("%w: %s changed while it was proposed; try again", proposals.ErrConflict, jsondoc.Quote(name))
		default:
			if err := tx.AddContent(ctx, data); err != nil {
				return err
			}
		}
	}
	return nil
}
