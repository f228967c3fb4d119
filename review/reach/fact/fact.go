// Package fact describes what a text can reach: hosts, files, commands, and settings. A fact is not
// an alarm; it shows reviewers where to look. The sibling packages derive facts from different
// grammars.
package fact

import "toolcrib/internal/lists"

// Kind is the kind of a fact.
type Kind string

// The kinds of facts.
const (
	Out    Kind = "out"    // a host or mailbox that code, a command, a setting, or an order uses
	Link   Kind = "link"   // a host in a link in prose
	Secret Kind = "secret" // stored credentials, the whole environment, variables with credentials
	Write  Kind = "write"  // writes to a file that other programs follow
	Rights Kind = "rights" // skips a check or widens permissions
	Run    Kind = "run"    // a command, a package, or code that is downloaded or decoded
	File   Kind = "file"   // a path outside the subject's folder
	User   Kind = "user"   // an order about what to tell or ask the user, or a claim of approval
	Other  Kind = "other"  // a tool, server, skill, or agent
	Text   Kind = "text"   // a sentence
)

// Policy is the treatment of a new fact in a change if the configuration does not decide.
type Policy string

// The policies.
const (
	Warns       Policy = "warns"
	Shown       Policy = "shown"
	Counted     Policy = "counted"     // only a number that can be expanded
	Information Policy = "information" // listed, but never a reason for a recommendation
)

// Uses that affect the policy or that several packages add. Other uses are the name of the program
// or call that uses the value.
const (
	PlainHTTP    = "plain http"
	Assembled    = "assembled"     // concatenated from parts
	Literal      = "literal"       // in a text, a string, or a data file
	Order        = "order"         // in a sentence
	Store        = "store"         // a credential store
	Environment  = "environment"   // the whole environment
	Private      = "private data"  // a setting that adds private data to what is sent
	Variable     = "variable"      // a variable with a credential, in a file that does not send data
	VariableSent = "sent"          // a variable with a credential, in a file that sends data
	Command      = "command"       // an ordinary command
	Told         = "told"          // a sentence about telling or asking people
	Package      = "package"       // a package that is installed, or run from a registry
	Registry     = "registry"      // an unusual registry
	FetchedRun   = "fetch+run"     // downloaded and run
	DecodedRun   = "decode+run"    // decoded and run
	Connected    = "socket+shell"  // a shell joined to a network connection
	Decoded      = "decoded"       // encoded text
	Evaluated    = "evaluated"     // a string that is run as code
	Skipped      = "skipped test"  // a test that is not run
	Granted      = "allowed-tools" // granted to an agent, in front matter or settings
	Wiped        = "wiped"         // a deleted home folder or file system
	Mentioned    = "mentioned"     // a file that other programs follow, mentioned without a write
	Unread       = "not read"      // not read because of a fault in toolcrib
)

// Row is a row of the table of policies.
type Row struct {
	Kind    Kind
	Use     string // "" for all uses without a separate row
	Policy  Policy
	Meaning string
}

// Policies is the table of policies for new facts.
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
	{Run, Connected, Warns, "shells joined to a network connection"},
	{Run, Decoded, Warns, "encoded text"},
	{Run, Unread, Warns, "a text that toolcrib could not read because of a fault; report it"},
	{File, "", Shown, "paths outside of the subject's own folder"},
	{File, Wiped, Warns, "home folders and file systems that are deleted"},
	{User, "", Information, "orders about what the user is told, asked or shown; claims of approval"},
	{Other, "", Information, "other tools, servers, skills and agents"},
	{Text, "", Shown, "new sentences"},
}

// Fact is something that a text can reach, in its JSON format.
type Fact struct {
	Kind Kind `json:"kind"`
	// Use is the call, program, or other use; see the constants.
	Use   string `json:"use,omitempty"`
	Value string `json:"value"`
	// Path is the file in a folder, or the path of the field in a definition. Line and Column are
	// counted from 1, columns in characters.
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// NewHere reports whether the previous version does not have the fact. NewToRegistry reports
	// whether no active version of another subject has it either. Both compare keys, which include
	// the use.
	NewHere       bool `json:"new_here"`
	NewToRegistry bool `json:"new_to_registry"`
	// For a secret, Sent reports whether the same file sends data, and InProgram whether a program
	// may read it.
	Sent      bool `json:"-"`
	InProgram bool `json:"-"`
	// Key identifies the fact: facts with the same key are the same use of the same value.
	Key string `json:"-"`
}

// Policy returns the treatment of f in a change that adds it.
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

// Difference lists the facts that a change adds, removes, and does not change.
type Difference struct {
	Added   []Fact `json:"added"`
	Removed []Fact `json:"removed"`
	// Unchanged omits sentences in documents, because they are the rest of the text.
	Unchanged []Fact `json:"unchanged"`
}

// Compare returns the facts that are only in after, only in before, and in both. A host that a new call sends to is an
// added fact, and so is a known program with a different subcommand or address; a moved line is not. Added facts are
// marked as new to the registry until MarkKnown finds them there.
func Compare(before, after []Fact) Difference {
	var d Difference
	key := func(f Fact) string { return f.Key }
	had, has := lists.Set(before, key), lists.Set(after, key)
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
