// This file defines actors, and the texts that ask a user to confirm an act.

package proposals

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ActorKind is the role of an actor.
type ActorKind string

// Kinds of actors. System is toolcrib itself, which ships definitions and runs migrations. No user or client can act as
// System.
const (
	User   ActorKind = "user"
	Agent  ActorKind = "agent"
	Chief  ActorKind = "chief"
	System ActorKind = "system"
)

// Actor is a user or a program that performs acts. Its text form is "user:ada",
// "agent:drafter", "chief:desk", or "system".
type Actor struct {
	Kind ActorKind
	Name string
}

// BuiltinChief returns the chief that is built into toolcrib.
func BuiltinChief() Actor { return Actor{Kind: Chief, Name: "builtin"} }

// ErrActor indicates that a text is not a valid actor.
var ErrActor = errors.New("not an actor")

// MaxActorName is the maximum length of an actor's name, in characters.
const MaxActorName = 64

var actorName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}$`)

// selfGiven is the prefix of names that agents, such as MCP clients, have chosen for
// themselves. These names are not authenticated. The prefix distinguishes them from
// names that the user has assigned.
const selfGiven = "~"

// SelfNamed returns an agent with a name that the agent has chosen. For example, "claude-desktop" becomes
// agent:~claude-desktop.
func SelfNamed(name string) Actor {
	name = ActorName(name)
	return Actor{Kind: Agent, Name: selfGiven + name[:min(len(name), MaxActorName-len(selfGiven))]}
}

// ParseActor parses the text form of an actor. It rejects the system, the built-in chief, and self-named agents, because
// users and clients cannot act under these names.
func ParseActor(s string) (Actor, error) {
	a, err := readActor(s)
	switch {
	case err != nil:
		return Actor{}, err
	case a.Kind == System, a == BuiltinChief():
		return Actor{}, fmt.Errorf("%w: %s is reserved for toolcrib itself", ErrActor, s)
	case strings.HasPrefix(a.Name, selfGiven):
		return Actor{}, fmt.Errorf("%w: %q; names that begin with %[3]q are reserved for clients that choose their own names; omit the %[3]q", ErrActor, s, selfGiven)
	}
	return a, nil
}

func readActor(s string) (Actor, error) {
	if s == string(System) {
		return Actor{Kind: System}, nil
	}
	kind, name, _ := strings.Cut(s, ":")
	switch ActorKind(kind) {
	case User, Agent, Chief:
	case System:
		return Actor{}, fmt.Errorf("%w: %q; use system without a name", ErrActor, s)
	default:
		return Actor{}, fmt.Errorf("%w: %q; use user:NAME, agent:NAME or chief:NAME", ErrActor, s)
	}
	own := name
	if ActorKind(kind) == Agent {
		own = strings.TrimPrefix(name, selfGiven)
	}
	if !actorName.MatchString(own) || len(name) > MaxActorName {
		return Actor{}, fmt.Errorf("%w: %q; a name must have 1 to %d of A-Z, a-z, 0-9 and \"._@+-\", and begin with a letter, a digit or \"_\"", ErrActor, s, MaxActorName)
	}
	return Actor{Kind: ActorKind(kind), Name: name}, nil
}

// ActorName converts any text, such as a login name, to a valid name of an actor. It
// replaces invalid characters by "-".
func ActorName(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && (actorName.MatchString(string(r)) || strings.ContainsRune(".@+-", r)) {
			return r
		}
		return '-'
	}, s)
	clean = strings.TrimLeft(clean, "-.@+")
	clean = strings.TrimRight(clean[:min(len(clean), MaxActorName)], "-.@+")
	if clean == "" {
		return "unnamed"
	}
	return clean
}

// String returns the text form of a, or "" for the zero value.
func (a Actor) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + ":" + a.Name
}

// MarshalText implements encoding.TextMarshaler.
func (a Actor) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. Unlike ParseActor, it also accepts reserved actors.
func (a *Actor) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = Actor{}
		return nil
	}
	v, err := readActor(string(text))
	if err != nil {
		return err
	}
	*a = v
	return nil
}

// ActRebase merges a proposal onto the live version. The log records a rebase as a
// revision.
const ActRebase Act = "rebase"

// Form contains the texts that ask a user to confirm an act, and the messages about its
// result.
type Form struct {
	Title       string // title of the question
	Verb        string // label of the confirmation
	Consequence string // consequence of the act, as sentences
	Reason      bool   // whether the act needs a reason
	Done        string // message after success
	Undone      string // message after failure
}

// forms contains two forms for each act that a user confirms: one for a single proposal,
// and one for several proposals if they can be decided together.
var forms = map[Act][2]Form{
	ActApprove: {
		{Title: "Approve", Verb: "approve", Done: "Live", Undone: "not approved"},
		{Verb: "approve all", Consequence: "All go live, or none."},
	},
	ActRequestChanges: {
		{
			Title: "Send back", Verb: "send it back", Consequence: "Returns the proposal to the author with your reason.", Reason: true,
			Done: "Sent back", Undone: "not sent back",
		},
		{Verb: "send them back", Consequence: "Returns each proposal to its author with your reason."},
	},
	ActReject: {
		{
			Title: "Reject", Verb: "reject it for good", Consequence: "Closes the proposal for good. The author sees your reason.", Reason: true,
			Done: "Rejected", Undone: "not rejected",
		},
		{Verb: "reject them for good", Consequence: "Closes the proposals for good. Each author sees your reason."},
	},
	ActWaive: {{
		Title: "Waive a finding", Verb: "waive it", Reason: true, Done: "Waived", Undone: "not waived",
		Consequence: "The waiver ends if the sentence with the finding changes, if an address in the same field changes, or if the field gets another finding. Your reason is recorded.",
	}},
	ActUnwaive: {{
		Title: "End a waiver", Verb: "end it", Reason: true, Done: "Ended the waiver of", Undone: "the waiver remains in force",
		Consequence: "The finding is open again. The thread and the log still show the waiver and when it ended.",
	}},
	ActComment:  {{Title: "Comment", Verb: "send", Reason: true, Done: "Comment sent", Undone: "comment not sent"}},
	ActSubmit:   {{Title: "Submit", Verb: "submit it", Consequence: "Sends the proposal to the Chief of Staff and opens an issue.", Done: "Submitted", Undone: "not submitted"}},
	ActWithdraw: {{Title: "Withdraw", Verb: "withdraw it", Consequence: "Closes the proposal without a decision.", Done: "Withdrawn", Undone: "not withdrawn"}},
	ActRebase: {{
		Title: "Rebase", Verb: "rebase it", Done: "Rebased", Undone: "not rebased",
		Consequence: "Merges your changes onto the live version as a new revision. If they conflict, you see the conflicts and nothing is saved.",
	}},
	ActAssess: {{Done: "Assessed again", Undone: "not assessed"}},
	ActApproveCall: {{
		Title: "Approve a call", Verb: "run it", Consequence: "The call runs once, with exactly these arguments.", Done: "Ran", Undone: "not run",
	}},
	ActRefuseCall: {{
		Title: "Refuse a call", Verb: "refuse it", Consequence: "The call will not run. The agent sees your reason.", Reason: true, Done: "Refused", Undone: "not refused",
	}},
}

// Form returns the form for performing the act on n proposals.
func (a Act) Form(n int) Form {
	f := forms[a][0]
	if n > 1 {
		f.Verb, f.Consequence = forms[a][1].Verb, forms[a][1].Consequence
	}
	return f
}

// ErrNotStale is returned for a rebase of a proposal that is not stale.
var ErrNotStale = errors.New("the proposal is not stale")

// Can returns nil if actor is allowed to perform act on p in its current state.
// Otherwise it returns ErrNotStale or an error that wraps ErrAuthority or ErrState.
func Can(actor Actor, act Act, p Proposal) error {
	asked := act
	if act == ActRebase {
		asked = ActRevise
	}
	if err := Authorize(actor, asked, p.Author); err != nil || act == ActComment {
		return err
	}
	if _, err := Next(p.State, asked); err != nil {
		return err
	}
	if act == ActRebase && !p.Stale() {
		return ErrNotStale
	}
	return nil
}
