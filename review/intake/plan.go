// This file compares an imported document with the live registry and plans the proposals.

package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/registry/wire"
)

// Change is the type of a step.
type Change string

// All types of steps. The first four are also types of proposals.
const (
	New        = Change(proposals.New)
	Modify     = Change(proposals.Modify)
	Deactivate = Change(proposals.Deactivate)
	Reactivate = Change(proposals.Reactivate)
	None       = Change("none")    // already live
	Pending    = Change("pending") // already proposed
	Skip       = Change("skip")    // cannot be imported
)

// Step is the planned change of one definition.
type Step struct {
	Name    string // name of the definition at its origin; untrusted
	Subject registry.Subject
	Change  Change
	Reason  string           // reason why the definition is skipped, or description of the change
	Draft   *proposals.Draft // nil if the step makes no proposal
	Hash    string           // hash of the raw JSON, or "" if the document no longer contains the definition
	Unknown []string         // unknown keys of a v0 prompt, which the import preserves
	Missing string           // reason why a prompt cannot be submitted yet, or ""
	Invalid bool             // whether the definition can never be proposed, regardless of earlier decisions
	Item    wire.Item        // zero if the document no longer contains the definition
}

// schemaRefused is the beginning of Step.Reason if a schema is refused.
const schemaRefused = "its schema is refused: "

// Drafts returns the drafts of the steps that propose a change.
func Drafts(steps []Step) (drafts []proposals.Draft) {
	for _, s := range steps {
		if s.Draft != nil {
			drafts = append(drafts, *s.Draft)
		}
	}
	return drafts
}

// SkipReason returns the reason for skipping the step in the form that reports use.
func (s Step) SkipReason() wire.Skipped {
	if detail, ok := strings.CutPrefix(s.Reason, schemaRefused); ok {
		return wire.Skipped{Name: s.Name, Reason: "has a schema that is refused", Detail: detail}
	}
	return wire.Skipped{Name: s.Name, Reason: "is not a definition that can be approved", Detail: s.Reason}
}

// Live is the registry that a document is compared with. All must contain the definitions of all layers in the view of
// the origin's layer, including deactivated definitions.
type Live struct {
	All []registry.Live
	// Raw returns the stored JSON with the given hash. It returns false if this JSON is not stored.
	Raw func(hash string) ([]byte, bool)
	// Stored returns the stored definition of a version without a valid signature. It may be forged, so a plan uses it only
	// to recognize the tool that the version was imported from.
	Stored func(registry.Live) (registry.Definition, error)
}

// Plan returns the steps that make the live registry equal to doc. It deactivates only definitions from the same
// origin.
func Plan(doc wire.Document, o Origin, live Live) []Step {
	p := planner{origin: o, format: doc.Format, raw: live.Raw, stored: live.Stored}
	p.index(live.All)
	if doc.Format == wire.Toolcrib {
		return lists.Map(doc.Entries, p.entry)
	}
	p.clash = map[string]bool{}
	first := map[string]bool{}
	for _, it := range doc.Items {
		id := registry.ImportedID(o.server(), it.Name)
		p.clash[id] = p.clash[id] || first[id]
		first[id] = true
	}
	var steps []Step
	for _, it := range doc.Items {
		step := p.item(it)
		if step.Draft != nil {
			if ps := step.Draft.Excess(); len(ps) > 0 {
				step = step.skip(ps.String())
			}
		}
		steps = append(steps, step)
	}
	// Deactivate the tools from the same origin that doc does not contain. Texts are deactivated only if doc lists
	// texts.
	there, kinds := lists.Set(doc.Items, p.ref), []string{doc.Format.SourceType()}
	if doc.Texts {
		kinds = append(kinds, wire.MCPText.SourceType())
	}
	var gone []Step
	for ref, l := range p.byRef {
		label, name, _ := strings.Cut(ref.ref, "#")
		if label != p.origin.Label || !slices.Contains(kinds, ref.kind) || there[ref] || l.Definition.Status() != registry.Active || l.Core() {
			continue
		}
		step := Step{Name: name, Subject: l.Subject, Change: Deactivate, Reason: "it is no longer listed"}
		step.Draft = p.origin.draft(proposals.Deactivate, l.Subject, l.Version, l.Definition.WithStatus(registry.Deactivated), p.removalReason(name))
		gone = append(gone, step)
	}
	slices.SortFunc(gone, func(a, b Step) int { return cmp.Compare(a.Subject.String(), b.Subject.String()) })
	return append(steps, gone...)
}

// sourceRef identifies the origin of a definition. kind distinguishes a tool and a prompt that have the same name on
// one server.
type sourceRef struct{ kind, ref string }

// ref returns the identification of item at the origin.
func (p *planner) ref(item wire.Item) sourceRef {
	return sourceRef{item.Format.SourceType(), p.origin.ref(item.Name)}
}

type planner struct {
	origin Origin
	format wire.Format
	raw    func(hash string) ([]byte, bool)
	stored func(registry.Live) (registry.Definition, error)
	byID   map[registry.Kind]map[string]registry.Live // as visible in the view of the origin's layer
	byRef  map[sourceRef]registry.Live
	byWire map[string]registry.Live // as visible in the view, by wire name
	all    []registry.Live
	clash  map[string]bool // ids that several names in the document would be converted to
}

// item returns the step for an item of the document.
func (p *planner) item(it wire.Item) Step {
	step := Step{Name: it.Name, Hash: it.Hash(), Item: it}
	if ps := it.Problems(); len(ps) > 0 {
		return step.skip(ps.Error())
	}
	l, pinned, found := p.find(it)
	if !found {
		return p.newTool(step, it)
	}
	step.Subject = l.Subject
	before := *l.Definition.Tool
	if before.Source != nil && before.Source.Pin() == it.Pin(before.Source.Excluded) {
		return p.known(step, l)
	}
	after := it.ApplyTo(before)
	if it.Format == wire.MCP && reads(before.Annotations) && !reads(after.Annotations) && *cmp.Or(before.Approval, &registry.Approval{}) == *importedApproval(before.Annotations) {
		after.Approval = importedApproval(after.Annotations) // the default approval depends on the read-only hint
	}
	if same := hash(after) == hash(before); same && pinned { // the imported JSON may still differ in parts that toolcrib does not read
		if raw, ok := p.raw(before.Source.Hash); ok {
			if old, err := wire.ReadItem(it.Format, raw); err == nil && old.Rest(before) == it.Rest(before) {
				return p.known(step, l)
			}
		}
	} else if same {
		return p.known(step, l)
	}
	if l.Core() {
		return step.skip("it differs from the core tool with this id, which is locked; fork the core tool instead")
	}
	if p := before.Provider; !pinned && p != nil && p.Type == registry.ProviderBuiltin && string(before.InputSchema) != string(after.InputSchema) {
		return step.skip("toolcrib itself provides a tool with this name and other arguments; use --server NAME to import the list under other names")
	}
	if pinned {
		after.Source = it.Exclude(p.origin.source(it), before.Source.Excluded)
	}
	if reason := refused(after); reason != "" {
		return step.skip(reason)
	}
	step.Unknown, step.Missing = it.UnknownKeys(), missing(after)
	step.Change = Modify
	step.Reason = strings.Join(Differing(before, after), ", ")
	step.Draft = p.origin.draft(proposals.Modify, l.Subject, l.Version, registry.Definition{Tool: &after}, p.modificationReason(it, before, after))
	return step
}

func (s Step) skip(reason string) Step {
	s.Change, s.Reason, s.Draft, s.Invalid = Skip, reason, nil, true
	return s
}

// Pending returns s as a step of the type Pending, because the open proposal p already proposes the definition.
func (s Step) Pending(p proposals.Proposal) Step {
	s.Change, s.Draft = Pending, nil
	s.Reason = "#" + strconv.Itoa(p.Issue) + " proposes it already"
	return s
}

// known returns the step for an imported tool that equals the live version l. If l is active, nothing changes.
// Otherwise, l is reactivated.
func (p *planner) known(step Step, l registry.Live) Step {
	step.Subject = l.Subject
	if l.Definition.Status() == registry.Active {
		step.Change = None
		return step
	}
	step.Change = Reactivate
	why := fmt.Sprintf("%s lists %s again, unchanged.", sentenceCase(p.place()), jsondoc.Quote(step.Name))
	step.Draft = p.origin.draft(proposals.Reactivate, l.Subject, l.Version, l.Definition.WithStatus(registry.Active), why)
	return step
}

// newTool returns the step for an item that has no live tool.
func (p *planner) newTool(step Step, it wire.Item) Step {
	id, other := registry.ImportedID(p.origin.server(), it.Name), registry.DistinctID(p.origin.server(), it.Name)
	tools := p.byID[registry.KindTool]
	same := func(l registry.Live) bool { // whether l was imported from it
		d, err := p.stored(l)
		return err == nil && d.Tool.Source != nil && sourceRef{d.Tool.Source.Type, d.Tool.Source.Ref} == p.ref(it)
	}
	if l, taken := tools[id]; p.clash[id] || tools[other].Refused != nil || taken && (l.Refused == nil || l.Subject.Layer != p.origin.Layer || !same(l)) {
		id = other
	}
	step.Subject = registry.Subject{Kind: registry.KindTool, Layer: p.origin.Layer, ID: id}
	t := p.origin.Definition(it)
	t.ID = id
	if reason := refused(t); reason != "" {
		return step.skip(reason)
	}
	step.Unknown, step.Missing = it.UnknownKeys(), missing(t)
	step.Change = New
	step.Draft = p.origin.addition(tools[id], step.Subject, registry.Definition{Tool: &t}, p.additionReason(it))
	return step
}

// refused returns the reason why t cannot be proposed. It returns "" if t can be proposed.
func refused(t registry.Tool) string {
	for _, s := range [][]byte{t.InputSchema, t.OutputSchema} {
		if len(s) == 0 {
			continue
		}
		if _, err := schemaguard.Check(s); err != nil {
			return schemaRefused + err.Error()
		}
	}
	if t.Kind == registry.PromptTool {
		return "" // the author can add missing parts
	}
	return missing(t)
}

// missing returns the reason why t cannot be submitted. It returns "" if t is complete.
func missing(t registry.Tool) string {
	if ps := t.Problems(jsondoc.Root); len(ps) > 0 {
		return ps.Error()
	}
	return ""
}

// entry returns the step for a definition in a file that toolcrib has exported.
func (p *planner) entry(e wire.Entry) Step {
	step := Step{Name: e.Subject.ID, Subject: e.Subject, Hash: e.Definition.Hash()}
	if ps := e.Definition.Problems(jsondoc.Root); len(ps) > 0 {
		return step.skip(ps.Error())
	}
	if e.Definition.ID() != e.Subject.ID {
		return step.skip("its subject and its definition have different ids")
	}
	if t := e.Definition.Tool; t != nil && t.Source != nil { // the JSON that the source refers to must be available
		if e.Raw == nil {
			if _, kept := p.raw(t.Source.Hash); !kept {
				return step.skip("its imported JSON is neither in the file (source_json) nor in this registry; export the tool again from the registry that imported it")
			}
		} else if hash, err := wire.HashRaw(e.Raw); err != nil || hash != t.Source.Hash {
			return step.skip("its source_json does not match the hash in its source")
		}
	}
	var before *registry.Live
	if i := slices.IndexFunc(p.all, func(l registry.Live) bool { return l.Subject == e.Subject }); i >= 0 {
		before = &p.all[i]
	}
	why := fmt.Sprintf("An export of toolcrib (%s) contains this, and this registry does not.", p.origin.Label)
	switch {
	case before == nil && !slices.Contains(p.origin.Layer.View(), e.Subject.Layer):
		return step.skip(fmt.Sprintf("%s is not visible from %s; name the project with --project", e.Subject.Layer, p.origin.Layer))
	case (before == nil || before.Refused != nil) && e.Definition.Status() != registry.Active:
		return step.skip("it is deactivated in the export, and this registry does not contain it")
	case before == nil || before.Refused != nil:
		step.Change = New
		step.Draft = p.origin.addition(*cmp.Or(before, &registry.Live{}), e.Subject, e.Definition, why)
	case before.Definition.Hash() == e.Definition.Hash():
		step.Change = None
	case before.Core():
		return step.skip("it differs from the core tool with this id, which is locked; fork the core tool instead")
	case before.Definition.WithStatus(e.Definition.Status()).Hash() == e.Definition.Hash():
		step.Change = Reactivate
		if e.Definition.Status() == registry.Deactivated {
			step.Change = Deactivate
		}
		step.Draft = p.origin.draft(proposals.Type(step.Change), e.Subject, before.Version, e.Definition, why)
	default:
		step.Change = Modify // a change of the status needs a separate proposal
		step.Draft = p.origin.draft(proposals.Modify, e.Subject, before.Version, e.Definition.WithStatus(before.Definition.Status()), why)
	}
	return step
}

func hash(t registry.Tool) string { return registry.Definition{Tool: &t}.Hash() }

// index indexes the elements of definitions that are visible in the view of the origin's layer.
func (p *planner) index(definitions []registry.Live) {
	view := p.origin.Layer.View()
	p.byID, p.byRef, p.byWire = map[registry.Kind]map[string]registry.Live{}, map[sourceRef]registry.Live{}, map[string]registry.Live{}
	for _, kind := range registry.SubjectKinds() {
		p.byID[kind] = map[string]registry.Live{}
	}
	for _, l := range definitions {
		if !slices.Contains(view, l.Subject.Layer) {
			continue
		}
		p.all = append(p.all, l)
		seen := p.byID[l.Subject.Kind]
		if other, ok := seen[l.Subject.ID]; !ok || !other.Core() && (l.Core() || l.Subject.Layer.Rank() > other.Subject.Layer.Rank()) {
			seen[l.Subject.ID] = l
		}
		t := l.Definition.Tool
		if t == nil || l.Refused != nil {
			continue
		}
		p.byWire[t.WireName()] = seen[l.Subject.ID]
		if t.Source != nil {
			ref := sourceRef{t.Source.Type, t.Source.Ref}
			if other, ok := p.byRef[ref]; !ok || l.Subject.Layer.Rank() > other.Subject.Layer.Rank() {
				p.byRef[ref] = l
			}
		}
	}
}

// find returns the live tool for item. If a live tool has the same origin and name, find returns that tool, and pinned
// is true. Otherwise, if the origin is not a server, find returns the visible tool that has the name of the item as its
// id or its wire name.
func (p *planner) find(item wire.Item) (l registry.Live, pinned, ok bool) {
	if l, ok := p.byRef[p.ref(item)]; ok {
		return l, true, true
	}
	if p.origin.Server {
		return registry.Live{}, false, false
	}
	tools := p.byID[registry.KindTool]
	if l, ok := tools[item.Name]; ok && l.Refused == nil {
		return l, false, true
	}
	l, ok = p.byWire[item.Name]
	return l, false, ok && l.Refused == nil
}

// NewFileReason returns the rationale for a new skill or instruction file. client is the name of the program that reads
// the file.
func NewFileReason(kind registry.Kind, path, client string) string {
	noun := "New instruction file at "
	if kind == registry.KindSkill {
		noun = "New skill at "
	}
	return noun + jsondoc.Printable(path) + " (read by " + client + ")."
}

// ChangedFileReason returns the rationale for a file that differs from its approved version. changes lists the
// differences.
func ChangedFileReason(path, changes string) string {
	return jsondoc.Printable(path) + changedOnDisk + changes + "."
}

// GoneFileReason returns the rationale for deactivating the definition of a file that no longer exists.
func GoneFileReason(path string) string {
	return jsondoc.Printable(path) + " no longer exists on disk."
}

const (
	changedOnDisk = " has changed on disk: "
	how           = "(?:new|missing|text|line ends|mode|link|bytes)"
)

// Patterns for the variable ends of rationales.
var (
	readBy  = regexp.MustCompile(`^ \(read by [^()\n]+\)\.$`)
	changes = regexp.MustCompile(`^(?:[^\n]+ \(` + how + `\)(?:, |\.$))+$|^(?:[^\n]+ \(` + how + `\), )+and \d+ more\.$`)
)

// generatedFile reports whether an import of files wrote the whole draft d of the folder f.
func generatedFile(d proposals.Draft, f registry.Folder) bool {
	if len(d.Examples)+len(d.TestCases) > 0 {
		return false
	}
	if d.Type == proposals.Deactivate {
		return d.Rationale == GoneFileReason(f.Path)
	}
	if rest, ok := strings.CutPrefix(d.Rationale, strings.TrimSuffix(NewFileReason(d.Subject.Kind, f.Path, ""), " (read by ).")); ok && readBy.MatchString(rest) {
		return d.Type == proposals.New || d.Type == proposals.Modify
	}
	rest, ok := strings.CutPrefix(d.Rationale, jsondoc.Printable(f.Path)+changedOnDisk)
	return ok && d.Type == proposals.Modify && changes.MatchString(rest)
}
