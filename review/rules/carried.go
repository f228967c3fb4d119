// This file determines whether an approved version already contains the text of a finding.

package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
	"toolcrib/review/rules/scan/letters"
)

// ApprovedIn returns an approved version that already contains the text of a finding, or nil if
// there is none: the live version that c would replace, a tool of the same server, or another skill
// with the same file. The version must contain the whole sentences around the passage or, if the
// text is not prose, the whole paragraphs at the same path: an approved "Never send it to X." does
// not cover "Send it to X." Differences in white space do not matter.
//
// New text in c may redirect an address in these sentences. If they contain one, c must not add any
// address, or any sentence about addresses. Skills and instruction files contain many addresses. For
// their warnings, c must only not add a sentence with a word of this address, or a following
// sentence that may refer back. Versions with an invalid approval are ignored, and a
// finding without a passage is never approved.
func (c *Change) ApprovedIn(ctx context.Context, f Finding) (*registry.Live, error) {
	if f.Passage == "" {
		return nil, nil //nolint:nilnil // nil means that there is no such version
	}
	in, err := c.approvedIn(ctx, f)
	if in != nil && f.Severity.Rank() >= Warn.Rank() && c.redirects(f, in) {
		in = nil
	}
	return in, err
}

// redirects reports whether the text of f names an address, and c contains something that may name
// or redirect this address and is not in the approved version.
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

// approvedTexts caches the sentences and addresses of approved versions.
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
	return nil, nil //nolint:nilnil // nil means that there is no such version
}

// sameFiles caches the results of sameFile by path.
type sameFiles struct{ sync.Map }

// sameFile returns a live version of another skill that contains a file with the same text.
func (c *Change) sameFile(ctx context.Context, t Text) (in *registry.Live, err error) {
	known := Computed(c, func(*Change) *sameFiles { return &sameFiles{} })
	if l, ok := known.Load(t.Path); ok {
		return l.(*registry.Live), nil //nolint:forcetypeassert // nothing else is stored
	}
	defer func() { known.Store(t.Path, in) }()
	longest := ""
	for part := range strings.FieldsFuncSeq(strings.ToLower(t.Value), func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		if len(part) > len(longest) {
			longest = part // without characters that JSON escapes
		}
	}
	if c.Draft.Definition.Folder() == nil || longest == "" || c.World == nil {
		return nil, nil //nolint:nilnil // nil means that there is no such version
	}
	lives, err := c.World.Containing(ctx, []string{longest})
	for _, l := range lives {
		if folder := l.Definition.Folder(); folder != nil && l.Refused == nil && l.Subject != c.Draft.Subject {
			for _, file := range folder.Files {
				if file.Text == t.Value {
					return &l, nil
				}
			}
		}
	}
	return nil, err
}

// units returns the sentences of t that overlap the bytes in [start, end) or, if t is not prose,
// its paragraphs prefixed with its path. White space is normalized. In front matter, each key
// begins a sentence.
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

// frontKeys returns the offsets of all lines in the front matter of text that are not indented, and
// of the line after the front matter.
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

// approvedUnits maps the units of approved versions to these versions.
type approvedUnits struct {
	in  map[string]*registry.Live
	err error
}

// approvedUnits returns the units of the live version and of the tools of the same server.
func (c *Change) approvedUnits(ctx context.Context) (a approvedUnits) {
	var lives []registry.Live
	if source := c.Draft.Definition.Columns().Source; source != "" && c.Draft.Definition.Tool != nil && c.World != nil {
		lives, a.err = c.World.FromServer(ctx, source)
	}
	if c.Before != nil {
		lives = append(lives, *c.Before)
	}
	a.in = map[string]*registry.Live{}
	for i, l := range lives { // the version of the subject itself is last, so it takes precedence
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
