// Package fact describes what a text can reach: hosts, files, commands, settings. A fact
// is no alarm; it tells a reviewer where to look. The packages beside this one derive
// facts from grammars.
package fact

// Kind is the kind of a fact.
type Kind string

// The kinds of facts.
const (
	Out    Kind = "out"    // a host or mailbox that code, a command, a setting or an order names
	Link   Kind = "link"   // a host behind a link of prose
	Secret Kind = "secret" // stored credentials, the whole environment, variables with credentials
	Write  Kind = "write"  // a file that others obey, written to
	Rights Kind = "rights" // skips a check or widens permissions
	Run    Kind = "run"    // commands, packages, code that is fetched or decoded
	File   Kind = "file"   // a path outside of the subject's own folder
	User   Kind = "user"   // an order about what the user is told or asked; a claim of approval
	Other  Kind = "other"  // a tool, server, skill or agent
	Text   Kind = "text"   // a sentence
)

// Policy is the treatment of a new fact in a change, unless the configuration decides.
type Policy string

// The policies.
const (
	Warns       Policy = "warns"
	Shown       Policy = "shown"
	Counted     Policy = "counted"     // one expandable number
	Information Policy = "information" // listed, never counted as a reason
)

// Uses that decide about the policy or that several packages add. Any other use is the
// program or the call that takes the value.
const (
	PlainHTTP    = "plain http"
	Assembled    = "assembled"     // from parts
	Literal      = "literal"       // in a text, a string or a file of data
	Order        = "order"         // in a sentence
	Store        = "store"         // of credentials
	Environment  = "environment"   // as a whole
	Variable     = "variable"      // with a credential, in a file that sends nothing
	VariableSent = "sent"          // with a credential, in a file that sends data
	Command      = "command"       // an ordinary one
	Package      = "package"       // installed or run from a registry
	Registry     = "registry"      // an unusual one
	FetchedRun   = "fetch+run"     // downloaded and run
	DecodedRun   = "decode+run"    // decoded and run
	Decoded      = "decoded"       // an encoded text
	Evaluated    = "evaluated"     // a string that runs as code
	Skipped      = "skipped test"  // does not run
	Granted      = "allowed-tools" // to an agent, in front matter or settings
	Mentioned    = "mentioned"     // a file that others obey, named without a write
	Unread       = "not read"      // because of a fault in toolcrib
)

// Row is one row of the table of policies.
type Row struct {
	Kind    Kind
	Use     string // "" for every use without a row of its own
	Policy  Policy
	Meaning string
}

// Policies is the table of the treatment of new facts.
var Policies = []Row{
	{Out, "", Shown, "hosts, addresses and mailboxes that are sent to or fetched from"},
	{Out, PlainHTTP, Warns, "addresses whose traffic anyone on the way can change"},
	{Link, "", Counted, "other hosts in prose"},
	{Secret, "", Warns, "stored credentials, or the environment as a whole"},
	{Secret, Variable, Information, "variables with credentials"},
	{Write, "", Warns, "instructions, hooks, settings, shell profiles or schedulers that are written to"},
	{Rights, "", Warns, "flags, settings and calls that skip a check or widen permissions"},
	{Run, "", Shown, "packages, and code that is assembled from parts"},
	{Run, Command, Counted, "ordinary commands"},
	{Run, Registry, Warns, "packages from an unusual registry"},
	{Run, FetchedRun, Warns, "code that is downloaded and run"},
	{Run, DecodedRun, Warns, "code that is decoded and run"},
	{Run, Decoded, Warns, "encoded text"},
	{Run, Unread, Warns, "a text that toolcrib could not read because of a fault; report it"},
	{File, "", Shown, "paths outside of the subject's own folder"},
	{User, "", Information, "orders about what the user is told, asked or shown; claims of approval"},
	{Other, "", Information, "other tools, servers, skills and agents"},
	{Text, "", Shown, "new sentences"},
}

// Fact is one thing that a text can reach, in the form in which documents have it.
type Fact struct {
	Kind Kind `json:"kind"`
	// Use tells how: a call, a program, or one of the uses above.
	Use   string `json:"use,omitempty"`
	Value string `json:"value"`
	// Path is the file of a folder, or the path of the field in a definition; Line and
	// Column count from 1 within it, columns in characters.
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// NewHere reports that the version before does not reach it, NewToRegistry that no active
	// version of another subject does either. The use counts, not the name alone.
	NewHere       bool `json:"new_here"`
	NewToRegistry bool `json:"new_to_registry"`
	// Sent reports of a secret that the same file sends data, InProgram that the file is a
	// program.
	Sent      bool `json:"-"`
	InProgram bool `json:"-"`
	// Key identifies the fact: two facts with one key are the same use of the same thing.
	Key string `json:"-"`
}

// Policy returns the treatment of f in a change that adds f.
func (f Fact) Policy() Policy {
	policy := Shown
	for _, row := range Policies {
		if row.Kind == f.Kind && row.Use == f.Use {
			return row.Policy
		}
		if row.Kind == f.Kind && row.Use == "" {
			policy = row.Policy
		}
	}
	return policy
}

// Difference holds the facts that a change adds, removes and keeps.
type Difference struct {
	Added   []Fact `json:"added"`
	Removed []Fact `json:"removed"`
	// Unchanged has no sentences in documents: they are the rest of the text.
	Unchanged []Fact `json:"unchanged"`
}

// Compare returns the facts of after that before lacks, those of before that after lacks,
// and those of after that both have. A host that a new call sends to is an added fact, as
// is a known program with another subcommand or address; a moved line is none. Added facts
// are new to the registry too, until somebody finds them there.
func Compare(before, after []Fact) Difference {
	var d Difference
	had, has := keys(before), keys(after)
	for _, f := range after {
		if had[f.Key] {
			d.Unchanged = append(d.Unchanged, f)
		} else {
			f.NewHere, f.NewToRegistry = true, true
			d.Added = append(d.Added, f)
		}
	}
	for _, f := range before {
		if !has[f.Key] {
			d.Removed = append(d.Removed, f)
		}
	}
	return d
}

func keys(facts []Fact) map[string]bool {
	set := make(map[string]bool, len(facts))
	for _, f := range facts {
		set[f.Key] = true
	}
	return set
}
