package inspection

import (
	"context"

	"toolcrib/registry"
	"toolcrib/review"
)

// owners maps files to the subjects that contain the same bytes.
type owners map[registry.File]registry.Subject

func (o owners) add(s registry.Subject, f *registry.Folder) {
	if f == nil {
		return
	}
	for _, file := range f.Files {
		if _, known := o[file]; !known {
			o[file] = s
		}
	}
}

// Parts returns the files that v adds to base or changes. A file with the same bytes as a live file elsewhere, or as a
// file of an earlier member of the change set, refers to that file. Parts returns nil for definitions without files.
func (g *Cache) Parts(ctx context.Context, v View, base *registry.Definition) ([]review.Part, error) {
	after := v.Revision.Draft.Definition.Folder()
	if after == nil {
		return nil, nil
	}
	var before *registry.Folder
	if base != nil {
		before = base.Folder()
	}
	var live, set owners      // of live files; of files in the change set, by the oldest open member
	if len(after.Files) > 1 { // a single file always has its own text
		if g.live == nil {
			folders, err := g.Folders(ctx)
			if err != nil {
				return nil, err
			}
			g.live = owners{}
			for _, l := range folders {
				g.live.add(l.Subject, l.Definition.Folder())
			}
		}
		name := v.Proposal.ChangeSet
		if name != "" && g.files[name] == nil {
			of := owners{}
			for _, m := range v.ChangeSet.Members {
				if !m.State.Open() || !m.Subject.Kind.InFiles() {
					continue
				}
				rev, err := g.Revision(ctx, m.ID, m.Revision)
				if err != nil {
					return nil, err
				}
				of.add(m.Subject, rev.Draft.Definition.Folder())
			}
			g.files[name] = of
		}
		live, set = g.live, g.files[name]
	}
	return review.Parts(before, *after, v.Standing, func(f registry.File) string {
		if s, ok := live[f]; ok && f.Link == "" {
			return s.ID
		}
		if s, ok := set[f]; ok && s != v.Proposal.Subject && f.Link == "" {
			return s.ID
		}
		return ""
	}), nil
}
