package review

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// keepContents stores the bytes of the binary files of a draft that are known here and not
// stored yet. f may be nil.
func (d *drafting) keepContents(ctx context.Context, tx Tx, f *registry.Folder) error {
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

// unknownContents reports binary files whose bytes are not stored, or not what the draft
// says of them: nobody could restore them, and a text that agents read could pass for a
// binary.
func unknownContents(ctx context.Context, r RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	f := draft.Definition.Folder()
	if f == nil || draft.Type == proposals.Deactivate {
		return nil, nil
	}
	var problems proposals.Problems
	for _, name := range f.Paths() {
		file := f.Files[name]
		if !file.Binary() {
			continue
		}
		data, stored, err := r.Content(ctx, file.SHA256)
		if err != nil {
			return nil, err
		}
		at := jsondoc.Join("definition.files", name)
		switch {
		case !stored:
			problems = append(problems, misfit(proposals.RuleDefinition, at, "has bytes that are not stored here (SHA-256 %.12s); propose it from the disk that has them: toolcrib import --files", file.SHA256)...)
		case !file.Is(draft.Subject.Kind, name, data):
			want := registry.NewFile(draft.Subject.Kind, name, data, file.Executable)
			if !want.Binary() {
				problems = append(problems, misfit(proposals.RuleDefinition, at, "is a text, so its hash is not enough; propose it with its content: toolcrib import --files")...)
				continue
			}
			problems = append(problems, misfit(proposals.RuleDefinition, at, "has another type or size than its bytes, which are %s, %d bytes", want.Type, want.Size)...)
		}
	}
	return problems, nil
}
