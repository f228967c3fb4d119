// This file determines when clients add the parts of files to the context of an agent.

package instructions

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/prompt/tokens"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/places"
)

// Occasion is an event that loads a part of a file into the context of an agent.
type Occasion string

// Occasions, earliest first. With Printed and NotText, the content of the file never enters the context.
const (
	AtOnce   Occasion = "at once"     // at the start of every session
	Matching Occasion = "on matching" // when the agent works with files that match Load.Note
	OnUse    Occasion = "on use"      // when the skill, the command, or the subagent is used
	OnRead   Occasion = "when read"   // when the agent opens the file
	Printed  Occasion = "output only" // never; the file is a program, and the agent sees only its output
	NotText  Occasion = "not text"    // never; the file is an image or another binary
)

// Occasions returns all occasions, earliest first.
func Occasions() []Occasion { return []Occasion{AtOnce, Matching, OnUse, OnRead, Printed, NotText} }

// Load is a part of a skill or an instruction file that enters the context of an agent on a certain occasion. Text is
// "" if the text is unknown.
type Load struct {
	Occasion Occasion
	File     string // path relative to the folder of the skill or the instruction file
	Note     string // when the client loads the part, for display
	Text     string
	file     registry.File
}

// Loads returns the parts of f that enter the context of an agent, earliest first. The occasions follow the rules of the
// clients, which depend on the path and the front matter of each file.
func Loads(kind registry.Kind, f registry.Folder) []Load {
	var loads []Load
	if kind == registry.KindInstructions {
		for _, name := range f.Paths() {
			loads = append(loads, instructionLoads(f.Path, name, f.Files[name])...)
		}
		return loads
	}
	for _, name := range f.Paths() {
		if name == registry.SkillFile {
			loads = append(loads, listed(path.Base(f.Path), name, f.Files[name], f.Path)...)
			continue
		}
		file := f.Files[name]
		l := Load{Occasion: OnRead, File: name, file: file, Text: file.Text}
		switch {
		case file.Link != "":
			l.Note = "link to " + file.Link
		case file.Binary():
			l.Occasion, l.Note = NotText, fmt.Sprintf("%d bytes", file.Size)
		case file.Executable || slices.Contains(programs, strings.ToLower(path.Ext(name))): // executed rather than read
			l.Occasion, l.Text = Printed, ""
		}
		loads = append(loads, l)
	}
	slices.SortStableFunc(loads, func(a, b Load) int {
		return slices.Index(Occasions(), a.Occasion) - slices.Index(Occasions(), b.Occasion)
	})
	return loads
}

// programs are the extensions of files that agents execute rather than read.
var programs = strings.Fields(".py .sh .bash .zsh .fish .js .mjs .cjs .ts .rb .pl .php .lua .ps1 .psm1 .bat .cmd .exe .jar .go .rs .r .swift .applescript")

// listed returns the loads of a skill or a subagent. The name and the description enter the context at the start of a
// session, and the body enters the context when the skill or the subagent is used.
func listed(name, file string, f registry.File, dir string) []Load {
	front, body, _ := mdfile.SplitFront(f.Text)
	keys := mdfile.LooseFront(front)
	use := Load{Occasion: OnUse, File: file, file: f, Text: body}
	if value(keys, "disable-model-invocation") == "true" {
		use.Note = "by the user alone"
		return []Load{use}
	}
	line := "- " + cmp.Or(value(keys, "name"), name)
	if says := value(keys, "description"); says != "" {
		line += ": " + says
	}
	if says := cmp.Or(value(keys, "when_to_use"), value(keys, "when-to-use")); says != "" {
		line += " - " + says
	}
	if strings.Contains("/"+dir, "/.agents/") || strings.Contains("/"+dir, "/.codex/") { // Codex adds the path of the file
		line += " (file: " + path.Join(dir, file) + ")"
	}
	return []Load{{Occasion: AtOnce, File: file, Note: "name and description", Text: line, file: f}, use}
}

// instructionLoads returns the loads of an instruction file with the path p.
func instructionLoads(p, name string, f registry.File) []Load {
	if f.Binary() { // only in old versions, which were approved by hash
		return []Load{{Occasion: NotText, File: name, Note: fmt.Sprintf("%d bytes", f.Size), file: f}}
	}
	whole := Load{Occasion: AtOnce, File: name, Text: f.Text, file: f}
	of, ok := places.Match(everywhere(), p, false, true)
	front, body, fronted := mdfile.SplitFront(f.Text)
	switch how := occasionText(of.Pattern); {
	case ok && of.Settings(): // the client reads the file, and the agent does not
		return nil
	case ok && how == "agent":
		return listed(strings.TrimSuffix(path.Base(p), path.Ext(p)), name, f, "")
	case ok && how == "command":
		whole.Occasion, whole.Text = OnUse, body
	case ok && fronted && (how == "rule" || how == "attached"):
		return rule(mdfile.LooseFront(front), whole, body)
	case ok && (how == "rule" || how == "attached"):
		if how == "attached" || path.Ext(p) == ".mdc" {
			whole.Occasion, whole.Note = OnUse, "when the file is attached"
		}
	default:
		elements := strings.Split(p, "/")
		if below := elements[:max(0, len(elements)-1-strings.Count(of.Pattern, "/"))]; ok && len(below) > 0 {
			whole.Occasion, whole.Note = Matching, "files below "+strings.Join(below, "/")
		}
	}
	return []Load{whole}
}

// everywhere returns the patterns of all scopes.
var everywhere = sync.OnceValue(func() []places.Pattern {
	return slices.Concat(places.Project.Patterns(false), places.User.Patterns(false), places.Plugin.Patterns(false))
})

// occasionText returns the name of the way in which clients load the files that match pattern: "agent", "command",
// "attached", or "rule". It returns "" if clients load the complete files. The result depends only on the folders in
// pattern.
func occasionText(pattern string) string {
	for element := range strings.SplitSeq(path.Dir(pattern), "/") {
		switch {
		case element == "agents" || element == "agent":
			return "agent"
		case slices.Contains([]string{"commands", "command", "prompts", "workflows", "Workflows", "global_workflows", "chatmodes", "output-styles"}, element):
			return "command"
		case element == "instructions":
			return "attached"
		case strings.HasPrefix(element, "rules") || element == "Rules" || element == ".clinerules":
			return "rule"
		}
	}
	return ""
}

// rule returns the loads of a rule file. The front matter of the file determines when the rule applies.
func rule(keys *jsondoc.Node, l Load, body string) []Load {
	globs := cmp.Or(value(keys, "globs"), value(keys, "applyTo"), value(keys, "paths"))
	says := value(keys, "description")
	trigger := value(keys, "trigger")
	l.Text = body
	switch {
	case value(keys, "alwaysApply") == "true" || trigger == "always_on" || globs == "**" || globs == "**/*":
	case trigger == "manual":
		l.Occasion, l.Note = OnUse, "when the user names the file"
	case globs != "":
		l.Occasion, l.Note = Matching, "files like "+globs
	case says != "" && (value(keys, "alwaysApply") != "" || trigger == "model_decision" || path.Ext(l.File) == ".mdc"):
		l.Occasion, l.Note = OnUse, "when the agent requests the file"
		return []Load{{Occasion: AtOnce, File: l.File, Note: "description", Text: says, file: l.file}, l}
	case path.Ext(l.File) == ".mdc" || value(keys, "alwaysApply") == "false":
		l.Occasion, l.Note = OnUse, "when the user names the file"
	}
	return []Load{l}
}

// value returns the value of key in the front matter as a single line. Items of a list are separated by commas.
func value(keys *jsondoc.Node, key string) string {
	n := keys.Get(key)
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.Array:
		items := lists.Map(n.Items, func(item *jsondoc.Node) string { return strings.TrimSpace(item.Text) })
		return strings.Join(items, ", ")
	case n.Kind == jsondoc.Bool:
		return string(jsondoc.Canonical(n))
	}
	return strings.Join(strings.Fields(n.Text), " ")
}

// LoadChange contains a load before an approval (Now) and after the approval (After). Now is nil for a new load, and
// After is nil for a removed load.
type LoadChange struct {
	Now, After *Load
	Same       bool // whether the agent receives the same content
}

// Load returns the load after the approval, or the load before the approval if the approval removes it.
func (c LoadChange) Load() Load {
	if c.After != nil {
		return *c.After
	}
	return *c.Now
}

// Size is the length of texts in characters and tokens.
type Size struct {
	Chars int
	tokens.Counts
}

// Cost is the size of the texts that enter the context on an occasion, before and after an approval.
type Cost struct {
	Occasion   Occasion
	Note       string // note of the load, if only a single load belongs to the occasion
	Now, After Size
}

// CompareLoads compares the loads of two versions of a skill or an instruction file, before and after an approval. Zero
// definitions, definitions of other kinds, and deactivated definitions have no loads.
func CompareLoads(before, after registry.Definition) []LoadChange {
	var changes []LoadChange
	now := loadsOf(before)
	for _, l := range loadsOf(after) {
		c := LoadChange{After: &l}
		i := slices.IndexFunc(now, func(n Load) bool { return n.Occasion == l.Occasion && n.File == l.File })
		if i >= 0 {
			c.Now = &now[i]
			c.Same = *c.Now == l || c.Now.Text == l.Text && c.Now.Note == l.Note && l.Occasion != Printed && l.Occasion != NotText
		}
		changes = append(changes, c)
	}
	for i, n := range now {
		if !slices.ContainsFunc(changes, func(c LoadChange) bool { return c.Now == &now[i] }) {
			changes = append(changes, LoadChange{Now: &n})
		}
	}
	slices.SortStableFunc(changes, func(a, b LoadChange) int {
		return cmp.Or(slices.Index(Occasions(), a.Load().Occasion)-slices.Index(Occasions(), b.Load().Occasion), strings.Compare(a.Load().File, b.Load().File))
	})
	return changes
}

func loadsOf(d registry.Definition) []Load {
	if d.Folder() == nil || d.Status() != registry.Active {
		return nil
	}
	return Loads(d.Kind(), *d.Folder())
}

// Texts returns the texts in changes. For each change, the text before the change comes first.
func Texts(changes []LoadChange) (texts []string) {
	for _, c := range changes {
		for _, l := range []*Load{c.Now, c.After} {
			if l != nil {
				texts = append(texts, l.Text)
			}
		}
	}
	return texts
}

// Costs returns the cost of each occasion that occurs in changes.
func Costs(counter *tokens.Counter, changes []LoadChange) ([]Cost, error) {
	counts, err := counter.CountAll(Texts(changes))
	if err != nil {
		return nil, err
	}
	var costs []Cost
	for _, c := range changes {
		if l := c.Load(); len(costs) == 0 || costs[len(costs)-1].Occasion != l.Occasion {
			costs = append(costs, Cost{Occasion: l.Occasion, Note: l.Note})
		} else {
			costs[len(costs)-1].Note = ""
		}
		cost := &costs[len(costs)-1]
		for i, l := range []*Load{c.Now, c.After} {
			if l != nil {
				s := []*Size{&cost.Now, &cost.After}[i]
				s.Chars += utf8.RuneCountInString(l.Text)
				s.O200k += counts[0].O200k
				s.Cl100k += counts[0].Cl100k
				counts = counts[1:]
			}
		}
	}
	return costs, nil
}
