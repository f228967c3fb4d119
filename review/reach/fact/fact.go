// Package fact describes what a text can reach: hosts, files, commands, and settings. A fact is not
// an alarm; it shows reviewers where to look. The sibling packages derive facts from different
// grammars.
package fact

import "toolcrib/internal/lists"

// Kind is the kind of a fact.
type Kind string

// The kinds of facts.
const (
	Out    Kind = "out"    // a host or mailbox that code, a command, a setting, or an instruction uses
	Link   Kind = "link"   // a host in a link in prose
	Secret Kind = "secret" // stored credentials, the whole environment, or a variable with a credential
	Write  Kind = "write"  // a write to a file that other programs obey, such as instructions or a shell profile
	Rights Kind = "rights" // something that skips a check or widens permissions
	Run    Kind = "run"    // a command, a package, or code that is downloaded or decoded
	File   Kind = "file"   // a path outside the subject's folder
	User   Kind = "user"   // an instruction about what to tell or ask the user, or a claim of approval
	Other  Kind = "other"  // the name of another tool, server, skill, or agent
	Text   Kind = "text"   // a sentence
)

// Policy determines how a review shows a fact that a change adds. It applies if the configuration
// does not decide about the fact.
type Policy string

// The policies.
const (
	Warns       Policy = "warns"
	Shown       Policy = "shown"
	Counted     Policy = "counted"     // shown only as a number, which can be expanded
	Information Policy = "information" // listed, but never a reason for a recommendation
)

// The uses that affect the policy or that several packages add. Any other use is the name of the
// program or call that uses the value.
const (
	PlainHTTP    = "plain http"
	Assembled    = "assembled"     // concatenated from parts
	Literal      = "literal"       // in a text, a string, or a data file
	Order        = "order"         // in a sentence
	Store        = "store"         // a credential store
	Environment  = "environment"   // the whole environment
	Private      = "private data"  // a setting that includes private data in the data that is sent
	Variable     = "variable"      // a variable with a credential, in a file that does not send data
	VariableSent = "sent"          // a variable with a credential, in a file that sends data
	Command      = "command"       // an ordinary command
	Told         = "told"          // a sentence about informing or asking people
	Package      = "package"       // a package that is installed, or run from a registry
	Registry     = "registry"      // an unusual registry
	FetchedRun   = "fetch+run"     // downloaded and run
	DecodedRun   = "decode+run"    // decoded and run
	Connected    = "socket+shell"  // a shell that is connected to a network connection
	Decoded      = "decoded"       // encoded text
	Evaluated    = "evaluated"     // a string that is run as code
	Skipped      = "skipped test"  // a test that is not run
	Granted      = "allowed-tools" // a tool that front matter or settings grant to an agent
	Wiped        = "wiped"         // a deleted home folder or file system
	Mentioned    = "mentioned"     // a file that other programs obey and that the text mentions without writing to it
	Unread       = "not read"      // a text that was not read because of a fault in toolcrib
)

// Row is a row of Policies. It states the policy for all facts of a kind, or for the facts of a
// kind with a particular use.
type Row struct {
	Kind   Kind
	Use    string // "" for all uses without a separate row
	Policy Policy
}

// Policies lists the policies for new facts.
var Policies = []Row{
	{Out, "", Shown},                // hosts, addresses, and mailboxes that data is sent to or fetched from
	{Out, PlainHTTP, Warns},         // http addresses without TLS
	{Link, "", Counted},             // other hosts in prose
	{Secret, "", Warns},             // stored credentials, or the environment as a whole
	{Secret, Variable, Information}, // variables with credentials
	{Write, "", Warns},              // writes to instructions, hooks, settings, shell profiles, or schedulers
	{Rights, "", Warns},             // flags, settings, and calls that skip a check or widen permissions
	{Run, "", Shown},                // packages, and code that is assembled from parts
	{Run, Command, Counted},         // ordinary commands
	{Run, Registry, Warns},          // packages from an unusual registry
	{Run, FetchedRun, Warns},        // code that is downloaded and run
	{Run, DecodedRun, Warns},        // code that is decoded and run
	{Run, Connected, Warns},         // shells joined to a network connection
	{Run, Decoded, Warns},           // encoded text
	{Run, Unread, Warns},            // a text that toolcrib could not read because of a fault; report it
	{File, "", Shown},               // paths outside the subject's folder
	{File, Wiped, Warns},            // home folders and file systems that are deleted
	{User, "", Information},         // instructions about what to tell, ask, or show the user; claims of approval
	{Other, "", Information},        // other tools, servers, skills, and agents
	{Text, "", Shown},               // new sentences
}

// Fact is something that a text can reach. It is also the JSON format of a fact.
type Fact struct {
	Kind Kind `json:"kind"`
	// Use states how the text uses the value: one of the constants such as PlainHTTP, or the name
	// of a program or call.
	Use   string `json:"use,omitempty"`
	Value string `json:"value"`
	// Path is the file in a skill or in instructions, or the path of the field in any other
	// definition. Line and Column are counted from 1, and columns are counted in characters.
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// NewHere reports whether the previous version lacks the fact. NewToRegistry reports whether
	// the active versions of all other subjects lack it, too. Both compare keys, so the same value
	// with a different use is a new fact.
	NewHere       bool `json:"new_here"`
	NewToRegistry bool `json:"new_to_registry"`
	// Sent and InProgram are set for facts of kind Secret. Sent reports whether the same file sends
	// data. InProgram reports whether a program may read the secret.
	Sent      bool `json:"-"`
	InProgram bool `json:"-"`
	// Key identifies the fact. Facts with the same key describe the same use of the same value.
	Key string `json:"-"`
}

// Policy returns the policy for f if f is new.
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
	// Unchanged contains the facts that both versions have. JSON documents omit the sentences among
	// these facts, because these sentences are the unchanged part of the text.
	Unchanged []Fact `json:"unchanged"`
}

// Compare returns the facts that are only in newFacts (added), only in oldFacts (removed), and in
// both (unchanged). It compares keys. A known program with a different subcommand or address is
// therefore an added fact, but a fact on a different line is unchanged. Added facts are marked as
// new to the registry; MarkKnown clears the mark.
func Compare(oldFacts, newFacts []Fact) Difference {
	var d Difference
	key := func(f Fact) string { return f.Key }
	had, has := lists.Set(oldFacts, key), lists.Set(newFacts, key)
	for _, f := range newFacts {
		if had[f.Key] {
			d.Unchanged = append(d.Unchanged, f)
		} else {
			f.NewHere, f.NewToRegistry = true, true
			d.Added = append(d.Added, f)
		}
	}
	d.Removed = lists.Filter(oldFacts, func(f Fact) bool { return !has[f.Key] })
	return d
}
