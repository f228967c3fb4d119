// This file proposes files that differ from their approved versions. The files are on this machine, or on machines that
// follow the registry of this machine.

package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/instructions"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review"
	"toolcrib/review/admission"
	"toolcrib/review/intake"
	"toolcrib/store/catalog"
)

// Import specifies how the files in folders are proposed.
type Import struct {
	Set   string // change set for all proposals, or "" for one per folder
	Draft bool
}

// docImport is the document of an import of files.
type docImport struct {
	output.Head
	Folders []DocFolder `json:"folders"`
	DryRun  bool        `json:"dry_run,omitempty"`
}

// DocFolder is a folder that was searched.
type DocFolder struct {
	Folder string `json:"folder"`
	Layer  string `json:"layer"`
	// Found is the number of skills and files, and Unchanged is the number of skills and files that match their
	// approved versions.
	Found     int       `json:"found"`
	Unchanged int       `json:"unchanged"`
	Steps     []DocStep `json:"steps"`
	// Withdrawn lists the proposals that were withdrawn because their files were restored or deleted.
	Withdrawn []facts.Document `json:"withdrawn,omitempty"`
	// Unread lists the folders with a SKILL.md that no client finds.
	Unread []string `json:"unread,omitempty"`
	above  bool     // the folder is neither the project nor the home folder
}

// DocStep is a skill or a file that differs from its approved version.
type DocStep struct {
	Kind    string `json:"kind"` // skill or instructions
	Path    string `json:"path"` // path relative to the folder
	Subject string `json:"subject,omitempty"`
	// Change is new, changed, missing, unreadable or deactivated.
	Change   string `json:"change"`
	Proposal string `json:"proposal,omitempty"`
	Reason   string `json:"reason,omitempty"`  // reason why no proposal was made
	ReadBy   string `json:"read_by,omitempty"` // clients that read the file
}

// comparison is the result of comparing the files in a folder with their approved versions. It also contains the
// proposals that were made for the differences.
type comparison struct {
	root
	found, unchanged int
	steps            []instructions.Step
	made             []proposals.Proposal // proposals made from the drafts in steps, in the same order
	withdrawn        []withdrawal
	unread           []string // folders with a SKILL.md that no client finds
}

// Run searches the folders that args select, and proposes the files that differ from their approved versions. It prints
// the proposals.
func (f Import) Run(ctx context.Context, a *command.App, args []string) error {
	all, err := f.all(ctx, a, args, nil)
	if err != nil {
		return err
	}
	return printImport(a, all)
}

// Watch is like Run, but repeats the import until ctx is done and prints only new proposals.
func (f Import) Watch(ctx context.Context, a *command.App, args []string, every time.Duration) error {
	for {
		all, err := f.all(ctx, a, args, nil)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(t comparison) bool { return len(t.made)+len(t.withdrawn) > 0 }) {
			if err := printImport(a, all); err != nil && !errors.Is(err, process.ErrFindings) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// all searches the folders that args select, and proposes the files that differ from their approved versions. If
// folders is not nil, the search is limited to these folders.
func (f Import) all(ctx context.Context, a *command.App, args []string, folders []DocFolder) ([]comparison, error) {
	list, err := roots(a, args)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r root) bool {
		return folders != nil && !slices.ContainsFunc(folders, func(d DocFolder) bool { return d.Folder == r.dir })
	})
	b, err := a.OpenSession(ctx)
	if err != nil {
		return nil, err
	}
	p := a.Progress()
	defer p.End()
	var all []comparison
	for _, r := range list {
		t, err := f.compare(ctx, a, b, r, func(step string) { p.Tell(0, 0, step) })
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (f Import) compare(ctx context.Context, a *command.App, b command.Session, r root, tell func(step string)) (comparison, error) {
	t := comparison{root: r}
	tell("Reading " + r.dir)
	approved, err := database{a.DB}.in(ctx, r.layer)
	if err != nil {
		return t, err
	}
	tree, err := r.with(approved)
	if err != nil {
		return t, err
	}
	found := tree.Found
	open, err := openOn(ctx, a.DB, r.layer, openStates()...)
	if err != nil {
		return t, err
	}
	differences := r.differences(tree, approved)
	t.found, t.unchanged, t.unread = len(found), len(found), tree.Unread
	for i, d := range differences {
		if d.Found == nil {
			continue
		}
		t.unchanged--
		if d.Change == instructions.New { // the file may already have an id from an open proposal
			at := slices.IndexFunc(open, func(p review.Bundle) bool {
				return p.Proposal.Subject.Kind == d.Kind && p.Proposal.Title == d.Path
			})
			if at >= 0 {
				differences[i].Subject = open[at].Proposal.Subject
			}
		}
	}
	t.steps, err = instructions.Plan(differences, origin(ctx, a, r.layer, f.Set, open, approved))
	if err != nil {
		return t, err
	}
	drafts, err := f.drafts(ctx, a, b.Actor, t.steps, open)
	if err != nil {
		return t, err
	}
	if len(drafts) > 0 {
		tell("Proposing " + output.Counted(len(drafts), "change"))
		paths := map[string]string{} // paths of binary files by SHA-256
		for _, draft := range drafts {
			if folder := draft.Definition.Folder(); folder != nil {
				for name, file := range folder.Files {
					paths[file.SHA256] = path.Join(folder.Path, name)
				}
			}
		}
		desk := b.Desk.WithContents(func(sha256 string) ([]byte, error) {
			if p, ok := paths[sha256]; ok {
				return instructions.Bytes(r.dir, p)
			}
			return nil, nil
		})
		if t.made, err = desk.Drafting.Import(ctx, b.Actor, drafts, !f.Draft); err != nil {
			return t, err
		}
	}
	for _, p := range open {
		note := t.obsolete(found, p.Proposal)
		if note == "" || !intake.Generated(p.Revision.Draft, nil) || proposals.Authorize(b.Actor, proposals.ActWithdraw, p.Proposal.Author) != nil {
			continue
		}
		ended, err := b.Desk.Drafting.Withdraw(ctx, b.Actor, p.Proposal.ID, note)
		if err != nil {
			return t, err
		}
		t.withdrawn = append(t.withdrawn, withdrawal{ended, note})
	}
	return t, nil
}

// origin returns the settings for proposals in the given layer. open and approved are the open proposals and the
// approved files of this layer.
func origin(ctx context.Context, a *command.App, layer registry.Layer, set string, open []review.Bundle, approved []instructions.Approved) instructions.Origin {
	return instructions.Origin{
		Layer: layer, Set: set,
		Live: func(s registry.Subject) (registry.Live, error) { return database{a.DB}.Live(ctx, s) },
		Taken: func(kind registry.Kind, id, path string) bool {
			s := registry.Subject{Kind: kind, Layer: layer, ID: id}
			if live, err := (database{a.DB}).Live(ctx, s); err == nil && live.Refused != nil {
				d, err := command.Stored(ctx, a, live)
				return err != nil || d.Folder().Path != path
			}
			return slices.ContainsFunc(open, func(p review.Bundle) bool { return p.Proposal.Subject == s }) ||
				slices.ContainsFunc(approved, func(a instructions.Approved) bool { return a.Subject == s })
		},
	}
}

// drafts returns the drafts in steps. It omits drafts that are already proposed or were rejected.
func (f Import) drafts(ctx context.Context, a *command.App, actor proposals.Actor, steps []instructions.Step, open []review.Bundle) ([]proposals.Draft, error) {
	var drafts []proposals.Draft
	sets := map[string]string{}
	for i := range steps {
		s := &steps[i]
		if s.Draft == nil {
			continue
		}
		hash := s.Draft.Definition.Hash()
		at := slices.IndexFunc(open, func(b review.Bundle) bool {
			p := b.Proposal
			return p.Subject == s.Subject && p.Type == s.Draft.Type && p.ContentHash == hash
		})
		if at >= 0 {
			s.Draft, s.Reason = nil, "already proposed as "+open[at].Proposal.Handle()
			continue
		}
		err := a.DB.View(ctx, func(r review.Reader) error { return admission.CheckRejected(ctx, r, s.Subject, hash) })
		if errors.Is(err, review.ErrRepeated) {
			s.Draft, s.Reason = nil, err.Error()
			continue
		} else if err != nil {
			return nil, err
		}
		if set := s.Draft.ChangeSet; f.Set == "" && set != "" {
			if sets[set] == "" {
				free, err := a.FreeSet(ctx, actor, set)
				if err != nil {
					return nil, err
				}
				sets[set] = free
			}
			s.Draft.ChangeSet = sets[set]
		}
		drafts = append(drafts, *s.Draft)
	}
	return drafts, nil
}

func printImport(a *command.App, all []comparison) error {
	folders, unread := documents(all)
	return a.PrintChecked(docImport{Head: output.NewHead("import.files"), Folders: folders, DryRun: a.Flags.DryRun}, unread == 0, func(p *output.Page) {
		for _, t := range all {
			t.lines(p)
		}
	})
}

// documents returns the documents of the compared folders, and the number of files that cannot be approved.
func documents(all []comparison) (folders []DocFolder, unread int) {
	for _, t := range all {
		d := DocFolder{Folder: t.dir, Layer: string(t.layer), Found: t.found, Unchanged: t.unchanged, Steps: []DocStep{}, Unread: t.unread}
		next := 0
		for _, s := range t.steps {
			step := newDocStep(s.Difference)
			step.Reason = s.Reason
			if s.Draft != nil {
				step.Proposal = string(t.made[next].ID)
				next++
			}
			if s.Refused {
				unread++
			}
			d.Steps = append(d.Steps, step)
		}
		d.Withdrawn = lists.Map(t.withdrawn, func(w withdrawal) facts.Document { return facts.DocumentOf(w.Proposal) })
		folders = append(folders, d)
	}
	return folders, unread
}

func newDocStep(d instructions.Difference) DocStep {
	step := DocStep{Kind: string(d.Kind), Path: d.Path, Change: string(d.Change)}
	if d.Subject.ID != "" {
		step.Subject = d.Subject.String()
	}
	if d.Found != nil {
		step.ReadBy = d.Found.Client
	}
	if d.Change == instructions.Unreadable {
		step.Reason = d.Found.Err.Error()
	}
	return step
}

// FindChanges compares the files in the home folder and in the project with their approved versions, and returns the
// differences. It needs no database and does not propose the differences. If a folder cannot be searched, FindChanges
// adds a message to problems.
func FindChanges(ctx context.Context, a *command.App) (folders []DocFolder, problems []string, err error) {
	list, err := roots(a, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range list {
		differences, tree, err := r.compare(ctx, a, nil)
		if err != nil {
			problems = append(problems, output.Sentence(err))
			continue
		}
		d := DocFolder{above: elsewhere(r.scope), Folder: r.dir, Layer: string(r.layer), Found: len(tree.Found), Unchanged: len(tree.Found), Steps: []DocStep{}}
		for _, diff := range differences {
			if diff.Found != nil {
				d.Unchanged--
			}
			d.Steps = append(d.Steps, newDocStep(diff))
		}
		folders = append(folders, d)
	}
	return folders, problems, nil
}

// ProposeChanges proposes the differences that FindChanges found. It returns the folders with their proposals, and a
// function that prints the proposals.
func (f Import) ProposeChanges(ctx context.Context, a *command.App, folders []DocFolder) ([]DocFolder, func(*output.Page), error) {
	all, err := f.all(ctx, a, nil, folders)
	if err != nil {
		return nil, nil, err
	}
	folders, _ = documents(all)
	return folders, func(p *output.Page) {
		for _, t := range all {
			t.lines(p)
		}
	}, nil
}

// Open returns the number of changes that an import would propose.
func Open(folders []DocFolder) int {
	n := 0
	for _, f := range folders {
		for _, s := range f.Steps {
			if c := instructions.Change(s.Change); c == instructions.New || c == instructions.Changed || c == instructions.Missing {
				n++
			}
		}
	}
	return n
}

// mostRows limits the number of rows in a table of files.
const mostRows = 40

// Table prints the differences in the given folders as a table.
func Table(p *output.Page, folders []DocFolder) {
	var rows [][]string
	for _, f := range folders {
		for _, s := range f.Steps {
			at := s.Path
			if f.above {
				at = filepath.Join(f.Folder, at)
			}
			if f.Layer == string(registry.LayerUser) {
				at = "~/" + at
			}
			rows = append(rows, []string{at, s.ReadBy, s.Change})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.Table([]string{"FILES", "READ BY", "STATE"}, rows[:min(len(rows), mostRows)])
	if more := len(rows) - mostRows; more > 0 {
		p.Linef("and %d more", more)
	}
}

// lines prints the results of the import for the folder of t.
func (t comparison) lines(p *output.Page) {
	p.Linef("%s: %d found, %d match their approved versions, %s", t.dir, t.found, t.unchanged, t.layer)
	next := 0
	for _, s := range t.steps {
		if s.Draft == nil {
			p.Linef("not proposed %s: %s", s.Path, s.Reason)
			continue
		}
		p.Linef("%s", document.Moved(t.made[next]))
		next++
	}
	for _, w := range t.withdrawn {
		p.Linef("%s: %s", document.Moved(w.Proposal), w.note)
	}
	if len(t.unread) > 0 {
		p.Linef("ignored, because no client looks for skills there: %s", unreadNames(t.unread))
	}
}

// unreadNames joins the first names in list with commas, followed by the number of the remaining names.
func unreadNames(list []string) string {
	return lists.First(lists.Map(list, jsondoc.Printable), 10)
}

// withdrawal is an obsolete proposal of an earlier import, with the reason for withdrawing it.
type withdrawal struct {
	proposals.Proposal
	note string
}

// obsolete returns the reason why p, an open proposal of an earlier import, is obsolete. It returns "" if p is still
// relevant.
func (t comparison) obsolete(found []instructions.Found, p proposals.Proposal) string {
	const back, gone, again = "The files match the approved version again.", "The files were deleted.", "The files exist again."
	exists := slices.ContainsFunc(found, func(f instructions.Found) bool { return f.Kind == p.Subject.Kind && f.Path == p.Title })
	at := slices.IndexFunc(t.steps, func(s instructions.Step) bool { return s.Kind == p.Subject.Kind && s.Path == p.Title })
	switch {
	case !exists && t.partial:
		return "" // the search did not cover the file
	case !exists && (p.Type == proposals.New || p.Type == proposals.Modify && at < 0):
		return gone
	case p.Type != proposals.Modify && p.Type != proposals.Deactivate:
		return ""
	case at < 0 && exists:
		return back
	case at < 0:
		return ""
	case p.Type == proposals.Modify && t.steps[at].Change == instructions.Missing:
		return gone
	case p.Type == proposals.Deactivate && t.steps[at].Change == instructions.Changed:
		return again
	}
	return ""
}

// ProposeReport proposes the skill or instruction file in r, unless it is already approved or proposed. r is a report
// of a machine that follows this registry and authenticated with the token t. The author of the proposal is the agent
// of the token. ProposeReport also counts the machines that reported the file. It returns the number of new proposals.
func ProposeReport(ctx context.Context, a *command.App, t tokens.Token, r follow.Report) (made int, err error) {
	kind := r.Kind
	layer, err := registry.ParseLayer(string(r.Layer))
	if err != nil || layer == registry.LayerGlobal || !kind.InFiles() {
		return 0, jsondoc.Problems{{Path: "kind", Message: "expected the kind skill or instructions, and the layer user or project/NAME"}}
	}
	d, err := registry.DecodeDefinition(kind, r.Document)
	if err != nil {
		return 0, err
	}
	folder := *d.Folder()
	approved, err := database{a.DB}.in(ctx, layer)
	if err != nil {
		return 0, err
	}
	open, err := openOn(ctx, a.DB, layer, openStates()...)
	if err != nil {
		return 0, err
	}
	here := slices.DeleteFunc(slices.Clone(approved), func(o instructions.Approved) bool { return o.Subject.Kind != kind || o.Path != folder.Path })
	found := instructions.Found{Kind: kind, Path: folder.Path, Folder: folder, Client: "a client of a follower"}
	if place, known := places.Find(kind, layer, folder.Path); known {
		found.Client = place.Client
	}
	differences := instructions.Compare([]instructions.Found{found}, here)
	proposed := slices.IndexFunc(open, func(p review.Bundle) bool { return p.Proposal.Subject.Kind == kind && p.Proposal.Title == folder.Path })
	if len(differences) > 0 && proposed >= 0 {
		differences[0].Subject = open[proposed].Proposal.Subject
	}
	steps, err := instructions.Plan(differences, origin(ctx, a, layer, "reported_files", open, approved))
	if err != nil || len(steps) == 0 {
		return 0, err
	}
	if steps[0].Draft == nil {
		return 0, fmt.Errorf("%w: %s", review.ErrText, steps[0].Reason)
	}
	b, err := a.OpenSession(ctx)
	if err != nil {
		return 0, err
	}
	hash := steps[0].Draft.Definition.Hash()
	same := func(p review.Bundle) bool { return p.Revision.Draft.Definition.Hash() == hash }
	if !slices.ContainsFunc(open, same) {
		if steps[0].Draft.ChangeSet, err = a.FreeSet(ctx, t.Caller.Actor, steps[0].Draft.ChangeSet); err != nil {
			return 0, err
		}
		if _, err := b.Desk.Drafting.Import(ctx, t.Caller.Actor, []proposals.Draft{*steps[0].Draft}, true); err != nil {
			return 0, err
		}
		made = 1
		if open, err = openOn(ctx, a.DB, layer, openStates()...); err != nil {
			return made, err
		}
	}
	if at := slices.IndexFunc(open, same); at >= 0 {
		text := catalog.Raw{Hash: hash, Body: steps[0].Draft.Definition.Canonical()}
		err = a.CountMachine(ctx, b, t, r.Machine, "files", text, open[at].Revision)
	}
	return made, err
}
