// This file checks the binary files of skills and the exclusions of imported tools against the database.

package admission

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// unknownContents reports binary files that the database does not contain, because toolcrib could not restore them. It
// also reports a binary file if the type or size in the draft is wrong. Otherwise, a draft could declare a text for
// agents as a binary file.
func unknownContents(ctx context.Context, r review.RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
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
			problems = append(problems, misfit(proposals.RuleDefinition, at, "has content that this database does not contain (SHA-256 %.12s); propose the skill on a machine that has the file: toolcrib import --files", file.SHA256)...)
		case !file.Is(draft.Subject.Kind, name, data):
			want := registry.NewFile(draft.Subject.Kind, name, data, file.Executable)
			if !want.Binary() {
				problems = append(problems, misfit(proposals.RuleDefinition, at, "is a text file, so its hash is not enough; propose the skill with the text of the file: toolcrib import --files")...)
				continue
			}
			problems = append(problems, misfit(proposals.RuleDefinition, at, "has content of another type or size than declared: %s, %d bytes", want.Type, want.Size)...)
		}
	}
	return problems, nil
}

// unseen reports a problem if the source of the draft refers to JSON that was never imported into this database,
// because reviewers could not see this JSON. It reports no problem if the live version refers to the same JSON.
func unseen(ctx context.Context, r review.RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	hash := records.Pin(draft.Definition)
	if hash == "" {
		return nil, nil
	}
	if _, ok, err := r.Raw(ctx, hash); ok || err != nil {
		return nil, err
	}
	now, err := impact.Live(ctx, r, draft.Subject)
	if err != nil || now != nil && records.Pin(now.Definition) == hash {
		return nil, err
	}
	return misfit(proposals.RuleDefinition, "definition.source.hash",
		"refers to JSON that was never imported into this database, so reviewers cannot see the JSON; import the tool (toolcrib import) or omit source"), nil
}

// wrongExclusion returns an error if an agent changes the exclusions of an imported tool. It also returns an error if
// the masked hash is not the hash of the imported JSON without the excluded parts.
func wrongExclusion(ctx context.Context, r review.RegistryReader, actor proposals.Actor, draft proposals.Draft) error {
	if draft.Definition.Tool == nil || draft.Definition.Tool.Source == nil {
		return nil
	}
	source, before := draft.Definition.Tool.Source, []registry.Exclusion(nil)
	if actor.Kind == proposals.Agent {
		now, err := impact.Live(ctx, r, draft.Subject)
		if err != nil {
			return err
		}
		if now != nil && now.Definition.Tool != nil && now.Definition.Tool.Source != nil {
			before = now.Definition.Tool.Source.Excluded
		}
		if !slices.Equal(before, source.Excluded) {
			return fmt.Errorf("%w: only a user can exclude parts of a tool from its pin", proposals.ErrAuthority)
		}
	}
	if len(source.Excluded) == 0 {
		return nil
	}
	raw, err := records.Source(ctx, r, draft.Definition)
	if err != nil || raw == nil {
		return err
	}
	item, err := wire.ReadItem(wire.MCP, raw)
	if err == nil && item.Pin(source.Excluded) == source.Masked {
		return nil
	}
	return &review.Incomplete{What: draft.Subject.String(), Problems: misfit(proposals.RuleDefinition, "definition.source.masked",
		"is not the hash of the imported JSON without the excluded parts; set the excluded parts with toolcrib exclude")}
}
