package files

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review"
)

// Import says how the files of folders are proposed.
type Import struct {
	Set   string // the change set of all; "" for one per folder that they came from
	Draft bool
	Tell  func(done, total int64, step string) // how far it has come
	Done  func()                               // it has come to its end
	// Watched leaves out what was rejected: nobody asked for this very import.
	Watched bool
}

// docImport is the document of an import of files.
type docImport struct {
	output.Head
	Folders []DocFolder `json:"folders"`
	DryRun  bool        `json:"dry_run,omitempty"`
}

// DocFolder is one folder that was searched.
type DocFolder struct {
	Folder string `json:"folder"`
	Layer  string `json:"layer"`
	// Found counts the skills and files, Unchanged those that are as they were approved.
	Found     int       `json:"found"`
	Unchanged int       `json:"unchanged"`
	Steps     []DocStep `json:"steps"`
	// Withdrawn are earlier proposals about files that went back or away.
	Withdrawn []facts.Document `json:"withdrawn,omitempty"`
	// Unread are folders with a SKILL.md where no client looks for skills.
	Unread []string `json:"unread,omitempty"`
	above  bool     // the folder lies above that of the project
}

// DocStep is one skill or file that is not as it was approved.
type DocStep struct {
	Kind    string `json:"kind"` // skill or instructions
	Path    string `json:"path"` // below the folder
	Subject string `json:"subject,omitempty"`
	// Change is new, changed, missing, unreadable or "taken out of use".
	Change   string `json:"change"`
	Proposal string `json:"proposal,omitempty"`
	Reason   string `json:"reason,omitempty"`  // why there is none
	ReadBy   string `json:"read_by,omitempty"` // the clients
}

// taken holds the proposals about the files of one folder.
type taken struct {
	root
	found, unchanged int
	steps            []instructions.Step
	made             []proposals.Proposal // of the steps with a draft, in their order
	withdrawn        []withdrawal
	unread           []string // skills where no client looks
}

// Run proposes what is not as it was approved and prints it.
func (f Import) Run(ctx context.Context, a *command.App, args []string, moved func(proposals.Proposal) string) error {
	all, err := f.all(ctx, a, args, nil)
	if err != nil {
		return err
	}
	if f.Done != nil {
		f.Done()
	}
	return printImport(a, all, moved)
}

// Watch does that again and again until ctx ends, and prints when there is something new.
func (f Import) Watch(ctx context.Context, a *command.App, args []string, every time.Duration, moved func(proposals.Proposal) string) error {
	for {
		all, err := f.all(ctx, a, args, nil)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(all, func(t taken) bool { return len(t.made)+len(t.withdrawn) > 0 }) {
			if err := printImport(a, all, moved); err != nil && !errors.Is(err, process.ErrFindings) {
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

// all proposes what is not as it was approved in each folder, or in those that only has.
func (f Import) all(ctx context.Context, a *command.App, args []string, only []DocFolder) ([]taken, error) {
	list, err := roots(a, args)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r root) bool {
		return only != nil && !slices.ContainsFunc(only, func(d DocFolder) bool { return d.Folder == r.dir })
	})
	b, err := a.OpenSession(ctx)
	if err != nil {
		return nil, err
	}
	var all []taken
	for _, r := range list {
		t, err := f.take(ctx, a, b, r)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (f Import) tell(step string) {
	if f.Tell != nil {
		f.Tell(0, 0, step)
	}
}

func (f Import) take(ctx context.Context, a *command.App, b command.Session, r root) (taken, error) {
	t := taken{root: r}
	f.tell("Reading " + r.dir)
	approved, err := approvedIn(ctx, a.DB, r.layer)
	if err != nil {
		return t, err
	}
	tree, err := r.with(approved)
	if err != nil {
		return t, err
	}
	found := tree.Found
	open, err := openOn(ctx, a.DB, r.layer)
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
		if d.Change == instructions.New { // it may be proposed already, under an id
			at := slices.IndexFunc(open, func(p review.Bundle) bool {
				return p.Proposal.Subject.Kind == d.Kind && p.Proposal.Title == d.Path
			})
			if at >= 0 {
				differences[i].Subject = open[at].Proposal.Subject
			}
		}
	}
	t.steps, err = instructions.Plan(differences, instructions.Origin{
		Layer: r.layer, Set: f.Set,
		Live: func(s registry.Subject) (registry.Live, error) { return live(ctx, a.DB, s) },
		Taken: func(kind registry.Kind, id string) bool {
			s := registry.Subject{Kind: kind, Layer: r.layer, ID: id}
			return slices.ContainsFunc(open, func(p review.Bundle) bool { return p.Proposal.Subject == s }) ||
				slices.ContainsFunc(approved, func(a instructions.Approved) bool { return a.Subject == s })
		},
	})
	if err != nil {
		return t, err
	}
	back := t.overtaken(found, open)
	drafts, err := f.drafts(ctx, a, b.Actor, t.steps, open)
	if err != nil {
		return t, err
	}
	if len(drafts) > 0 {
		f.tell("Proposing " + output.Counted(len(drafts), "change"))
		if t.made, err = b.Desk.WithContents(binaries(r.dir, drafts)).Drafting.TakeIn(ctx, b.Actor, drafts, !f.Draft); err != nil {
			return t, err
		}
	}
	t.withdrawn, err = withdraw(ctx, b, back)
	return t, err
}

// binaries returns what reads the binary files of drafts below dir, by their SHA-256.
func binaries(dir string, drafts []proposals.Draft) func(string) ([]byte, error) {
	paths := map[string]string{}
	for _, draft := range drafts {
		if f := draft.Definition.Folder(); f != nil {
			for name, file := range f.Files {
				paths[file.SHA256] = path.Join(f.Path, name)
			}
		}
	}
	return func(sha256 string) ([]byte, error) {
		if p, ok := paths[sha256]; ok {
			return instructions.Bytes(dir, p)
		}
		return nil, nil
	}
}

// drafts returns those of the steps, without what is proposed already.
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
			return p.Subject == s.Subject && p.Type == s.Draft.Type && (p.ContentHash == hash || hash == "")
		})
		if at >= 0 {
			s.Draft, s.Reason = nil, "proposed before: "+open[at].Proposal.Handle()
			continue
		}
		if f.Watched {
			rejected, err := rejection(ctx, a, s.Subject, hash)
			if err != nil {
				return nil, err
			}
			if rejected != "" {
				s.Draft, s.Reason = nil, rejected
				continue
			}
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

// rejection returns that this very content was rejected, "" when it was not.
func rejection(ctx context.Context, a *command.App, s registry.Subject, hash string) (string, error) {
	var reason string
	err := a.DB.View(ctx, func(r review.Reader) error {
		d, err := r.Rejection(ctx, s, hash)
		switch {
		case err == nil:
			reason = "it was rejected: " + d.Note
		case errors.Is(err, proposals.ErrNotFound):
			err = nil
		}
		return err
	})
	return reason, err
}

func printImport(a *command.App, all []taken, moved func(proposals.Proposal) string) error {
	folders, unread := documents(all)
	return a.PrintChecked(docImport{Head: output.NewHead("import.files"), Folders: folders, DryRun: a.Flags.DryRun}, unread == 0, func(p *output.Page) {
		for _, t := range all {
			t.lines(p, moved)
		}
	})
}

// documents returns the folders as documents, and how many files cannot be approved.
func documents(all []taken) (folders []DocFolder, unread int) {
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
		d.Withdrawn = output.Mapped(t.withdrawn, func(w withdrawal) facts.Document { return facts.DocumentOf(w.Proposal) })
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

// Look returns what is in the home and in the folder of the project, and not as it was
// approved. It proposes nothing, and needs no database. A folder that cannot be searched
// is among the problems.
func Look(ctx context.Context, a *command.App) (folders []DocFolder, problems []string, err error) {
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
		d := DocFolder{above: r.scope == places.Above, Folder: r.dir, Layer: string(r.layer), Found: len(tree.Found), Unchanged: len(tree.Found), Steps: []DocStep{}}
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

// Take proposes what Look found in folders, and returns it with its proposals and what
// prints them.
func (f Import) Take(ctx context.Context, a *command.App, folders []DocFolder, moved func(proposals.Proposal) string) ([]DocFolder, func(*output.Page), error) {
	all, err := f.all(ctx, a, nil, folders)
	if err != nil {
		return nil, nil, err
	}
	folders, _ = documents(all)
	return folders, func(p *output.Page) {
		for _, t := range all {
			t.lines(p, moved)
		}
	}, nil
}

// Open counts what an import would propose.
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

// mostRows is how many skills and files a table shows.
const mostRows = 40

// Table shows what is not as it was approved.
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

// lines prints what was found in one folder.
func (t taken) lines(p *output.Page, moved func(proposals.Proposal) string) {
	p.Linef("%s: %d found, %d as approved, %s", t.dir, t.found, t.unchanged, t.layer)
	next := 0
	for _, s := range t.steps {
		switch {
		case s.Draft != nil:
			p.Linef("%s", moved(t.made[next]))
			next++
		default:
			p.Linef("left alone %s: %s", s.Path, s.Reason)
		}
	}
	for _, w := range t.withdrawn {
		p.Linef("%s: %s", moved(w.Proposal), w.note)
	}
	if len(t.unread) > 0 {
		p.Linef("left alone, as no client looks for skills there: %s", unreadNames(t.unread))
	}
}

// unreadNames lists folders that no client looks into, the first few by name.
func unreadNames(list []string) string {
	const most = 10
	names := strings.Join(output.Mapped(list[:min(len(list), most)], jsondoc.Printable), ", ")
	if more := len(list) - most; more > 0 {
		names += fmt.Sprintf(", and %d more", more)
	}
	return names
}
