// This file determines whether an approved version already contains the text of a finding.

package rules

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
	"toolcrib/review/rules/scan/letters"
)

// ApprovedIn returns an approved version that already contains the text of the finding f, or nil if
// no such version exists. It searches the live version that c would replace, the live tools of the
// same server, and other skills that contain the same file. It ignores versions with an invalid
// approval. It returns nil for a finding without a passage.
//
// The approved version must contain the whole sentences around the passage, because an approved
// "Never send it to X." does not cover "Send it to X." If the text is not prose, the approved
// version must contain the whole paragraphs at the same path. White space may differ.
//
// If these sentences contain an address, new text elsewhere in c may redirect that address. For a
// warning or a blocking finding, ApprovedIn therefore returns nil if c adds any address or any
// sentence about addresses. This check is weaker for warnings about skills and instruction files,
// because such files contain many addresses. For these warnings, ApprovedIn returns nil if c adds a
// sentence that contains a part of the address in the finding. It also returns nil if c changes the
// sentence after the passage and the changed sentence may refer to the address.
func (c *Change) ApprovedIn(ctx context.Context, f Finding) (*registry.Live, error) {
	if f.Passage == "" {
		return nil, nil //nolint:nilnil // nil means that no version was found
	}
	in, err := c.approvedIn(ctx, f)
	if in != nil && f.Severity.Rank() >= Warn.Rank() && c.redirects(f, in) {
		in = nil
	}
	return in, err
}

// redirects reports whether c may redirect an address in the sentences around the passage of f. It
// returns true if these sentences contain or mention an address, and new text in c may name or
// redirect this address. New text is text that the approved version does not contain.
func (c *Change) redirects(f Finding, approved *registry.Live) bool {
	var found []string
	for _, t := range c.fields(f.Path) {
		start, end, ok := f.in(t.Text)
		if !ok {
			continue
		}
		sentence := t.sentenceAround(start, end)
		if tokens, ok := namesAddress(sentence); ok {
			now := Computed(c, (*Change).speaking)
			found = append(found, now.with(hostWords(tokens))...)
			if c.Draft.Definition.Folder() == nil || f.Severity == Block {
				found = append(found, now.addresses...)
			}
			if next := followUp(t.Value, sentence); next != "" {
				found = append(found, plainDots(letters.Fold(next)))
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	versions := Computed(c, func(*Change) *approvedTexts { return &approvedTexts{} })
	before, ok := versions.Load(approved)
	if !ok {
		old := &Change{Draft: c.Draft}
		old.Draft.Definition = approved.Definition
		known := map[string]bool{}
		said := old.speaking()
		for _, text := range slices.Concat(said.addresses, said.sentences) {
			known[text] = true
		}
		before, _ = versions.LoadOrStore(approved, known)
	}
	return slices.ContainsFunc(found, func(text string) bool { return !before.(map[string]bool)[text] }) //nolint:forcetypeassert // nothing else is stored
}

// approvedTexts caches the set of sentences and addresses of each approved version.
type approvedTexts struct{ sync.Map }

func (c *Change) approvedIn(ctx context.Context, f Finding) (*registry.Live, error) {
	approved := Computed(c, func(c *Change) approvedUnits { return c.approvedUnits(ctx) })
	for _, t := range c.fields(f.Path) {
		start, end, ok := f.in(t.Text)
		if !ok {
			continue
		}
		if len(approved.in) == 0 {
			in, err := c.sameFile(ctx, t.Text)
			return in, cmp.Or(err, approved.err)
		}
		var in *registry.Live
		for _, unit := range t.units(start, end) {
			if in = approved.in[unit]; in == nil {
				return c.sameFile(ctx, t.Text)
			}
		}
		return in, approved.err
	}
	return nil, nil //nolint:nilnil // nil means that no version was found
}

// sameFiles caches the results of sameFile by the path of the text.
type sameFiles struct{ sync.Map }

// sameFile returns a live version of another skill that contains a file with the same text as t. It
// returns nil if no such version exists.
func (c *Change) sameFile(ctx context.Context, t Text) (in *registry.Live, err error) {
	known := Computed(c, func(*Change) *sameFiles { return &sameFiles{} })
	if l, ok := known.Load(t.Path); ok {
		return l.(*registry.Live), nil //nolint:forcetypeassert // nothing else is stored
	}
	defer func() { known.Store(t.Path, in) }()
	longest := ""
	for part := range strings.FieldsFuncSeq(strings.ToLower(t.Value), func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		if len(part) > len(longest) {
			longest = part // part consists of characters that JSON does not escape
		}
	}
	if c.Draft.Definition.Folder() == nil || longest == "" || c.World == nil {
		return nil, nil //nolint:nilnil // nil means that no version was found
	}
	lives, err := c.World.Containing(ctx, []string{longest})
	for _, l := range lives {
		if folder := l.Definition.Folder(); folder != nil && l.Refused == nil && l.Subject != c.Draft.Subject {
			for name, file := range folder.Files {
				at, _ := folder.Field(name)
				if file.Text == t.Value && path.Ext(strings.TrimSuffix(at, `"].text`)) == path.Ext(strings.TrimSuffix(t.Path, `"].text`)) {
					return &l, nil // with another extension, the rules and the reviewers may have read the file differently
				}
			}
		}
	}
	return nil, err
}

// units returns the units of t that overlap the byte range [start, end). The units of prose are its
// sentences, and each key of front matter also begins a unit. The units of any other text are its
// paragraphs, prefixed with the path of t. White space in units is normalized.
func (t field) units(start, end int) []string {
	var bounds []int
	path := t.Path
	if t.isProse() {
		bounds, path = append(frontKeys(t.Value), t.starts()...), ""
		slices.Sort(bounds)
	} else {
		for i := 1; i < len(t.Value); i++ {
			if t.Value[i-1] == '\n' && t.Value[i] == '\n' {
				bounds = append(bounds, i+1)
			}
		}
	}
	var units []string
	first := 0
	for _, next := range append(bounds[:len(bounds):len(bounds)], len(t.Value)) {
		if first < end && next > start {
			if unit := strings.Join(strings.Fields(t.Value[first:next]), " "); unit != "" {
				units = append(units, path+"\x00"+unit)
			}
		}
		first = next
	}
	return units
}

// frontKeys returns the offset of each unindented line in the front matter of text, and the offset
// of the text after the front matter. It returns nil if text has no complete front matter.
func frontKeys(text string) []int {
	if !strings.HasPrefix(text, "---\n") {
		return nil
	}
	var keys []int
	for at := len("---\n"); at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		next := min(at+len(line)+1, len(text))
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			keys = append(keys, at)
		}
		if line == "---" {
			return append(keys, next)
		}
		at = next
	}
	return nil
}

// approvedUnits maps each unit of the approved versions to a version that contains it. See
// field.units.
type approvedUnits struct {
	in  map[string]*registry.Live
	err error
}

// approvedUnits returns the units of the live version of the subject and of the live tools of the
// same server.
func (c *Change) approvedUnits(ctx context.Context) (a approvedUnits) {
	var lives []registry.Live
	if source := c.Draft.Definition.Columns().Source; source != "" && c.Draft.Definition.Tool != nil && c.World != nil {
		lives, a.err = c.World.FromServer(ctx, source)
	}
	if c.Before != nil {
		lives = append(lives, *c.Before)
	}
	a.in = map[string]*registry.Live{}
	for i, l := range lives { // the version of the subject itself comes last and therefore takes precedence
		if l.Refused != nil {
			continue
		}
		before := &Change{Draft: c.Draft}
		before.Draft.Definition = l.Definition
		for _, t := range before.Texts() {
			if strings.HasPrefix(t.Path, "definition") {
				for _, unit := range newField(t).units(0, len(t.Value)) {
					a.in[unit] = &lives[i]
				}
			}
		}
	}
	return a
}
