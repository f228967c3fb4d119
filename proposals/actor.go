package proposals

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ActorKind is the role somebody acts in.
type ActorKind string

// The kinds of actor. System is toolcrib itself: it ships definitions and
// migrates; nobody can act as it.
const (
	User   ActorKind = "user"
	Agent  ActorKind = "agent"
	Chief  ActorKind = "chief"
	System ActorKind = "system"
)

// Actor is who acts. It is written "user:ada", "agent:drafter", "chief:desk",
// "system".
type Actor struct {
	Kind ActorKind
	Name string
}

// BuiltinChief is the reviewer inside toolcrib.
func BuiltinChief() Actor { return Actor{Kind: Chief, Name: "builtin"} }

// ErrActor is wrapped by every error about an actor that cannot be read.
var ErrActor = errors.New("not an actor")

// MaxActorName is the longest name of an actor in characters.
const MaxActorName = 64

var actorName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,63}$`)

// selfGiven begins the name of an agent that named itself, such as an MCP client:
// nobody vouches for it, so it must not pass for one that the user named.
const selfGiven = "~"

// SelfNamed returns the agent that calls itself by a name: agent:~claude-desktop.
func SelfNamed(name string) Actor {
	name = ActorName(name)
	return Actor{Kind: Agent, Name: selfGiven + name[:min(len(name), MaxActorName-len(selfGiven))]}
}

// ParseActor reads what Actor.String writes. The system, the built-in chief and
// agents that named themselves are refused: nobody acts as them from outside.
func ParseActor(s string) (Actor, error) {
	a, err := readActor(s)
	switch {
	case err != nil:
		return Actor{}, err
	case a.Kind == System, a == BuiltinChief():
		return Actor{}, fmt.Errorf("%w: %s is toolcrib itself; nobody else acts as it", ErrActor, s)
	case strings.HasPrefix(a.Name, selfGiven):
		return Actor{}, fmt.Errorf("%w: %q; only a client that names itself is called so, leave out the %q", ErrActor, s, selfGiven)
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
		return Actor{}, fmt.Errorf("%w: %q; the system has no name", ErrActor, s)
	default:
		return Actor{}, fmt.Errorf("%w: %q; write user:NAME, agent:NAME or chief:NAME", ErrActor, s)
	}
	own := name
	if ActorKind(kind) == Agent {
		own = strings.TrimPrefix(name, selfGiven)
	}
	if !actorName.MatchString(own) || len(name) > MaxActorName {
		return Actor{}, fmt.Errorf("%w: %q; a name has 1 to %d of A-Z, a-z, 0-9 and \"._@+-\", and begins with a letter, a digit or \"_\"", ErrActor, s, MaxActorName)
	}
	return Actor{Kind: ActorKind(kind), Name: name}, nil
}

// ActorName makes a name that ParseActor accepts out of any text, such as a
// login: everything else becomes "-".
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

// String returns the actor as ParseActor reads it; "" for the zero value.
func (a Actor) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + ":" + a.Name
}

// MarshalText makes an actor a string in JSON.
func (a Actor) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText wrote, the system included.
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

// ActRebase merges a proposal onto the live version. It is a revise, and the log
// has it as one.
const ActRebase Act = "rebase"

// Form has the texts for asking a person about an act, and reporting it.
type Form struct {
	Title       string // of the question
	Verb        string // what a yes does
	Consequence string // the consequence, as sentences
	Reason      bool   // it needs a reason
	Done        string // message after success
	Undone      string // message after failure
}

// forms has the words of every act that a user is asked about: for one
// proposal, and for several where they can be decided together.
var forms = map[Act][2]Form{
	ActApprove: {
		{Title: "Approve", Verb: "approve", Done: "Live", Undone: "not approved"},
		{Verb: "approve all", Consequence: "All go live, or none."},
	},
	ActRequestChanges: {
		{
			Title: "Send back", Verb: "send it back", Consequence: "Returns it to its author with your reason.", Reason: true,
			Done: "Sent back", Undone: "not sent back",
		},
		{Verb: "send them back", Consequence: "Returns each to its author with your reason."},
	},
	ActReject: {
		{
			Title: "Reject", Verb: "reject it for good", Consequence: "Closes it for good. Its author sees your reason.", Reason: true,
			Done: "Rejected", Undone: "not rejected",
		},
		{Verb: "reject them for good", Consequence: "Closes each for good. Its author sees your reason."},
	},
	ActWaive: {{
		Title: "Waive a finding", Verb: "waive it", Reason: true, Done: "Waived", Undone: "not waived",
		Consequence: "The waiver ends when its sentence or an address in its field changes, or the field gets a new finding. Your reason is recorded.",
	}},
	ActUnwaive: {{
		Title: "End a waiver", Verb: "end it", Reason: true, Done: "Ended the waiver of", Undone: "the waiver still holds",
		Consequence: "The finding is open again. The waiver and its end stay in the thread and in the log.",
	}},
	ActComment:  {{Title: "Comment", Verb: "send", Reason: true, Done: "Comment sent", Undone: "comment not sent"}},
	ActSubmit:   {{Title: "Submit", Verb: "submit it", Consequence: "Sends it to the Chief of Staff and opens an issue.", Done: "Submitted", Undone: "not submitted"}},
	ActWithdraw: {{Title: "Withdraw", Verb: "withdraw it", Consequence: "Closes it without a decision.", Done: "Withdrawn", Undone: "not withdrawn"}},
	ActRebase: {{
		Title: "Rebase", Verb: "rebase it", Done: "Rebased", Undone: "not rebased",
		Consequence: "Merges your changes onto the live version as a new revision. If they conflict, you see the conflicts and nothing is saved.",
	}},
	ActAssess: {{Done: "Assessed again", Undone: "not assessed"}},
	ActApproveCall: {{
		Title: "Approve a call", Verb: "run it", Consequence: "It runs once, with exactly these arguments.", Done: "Ran", Undone: "not run",
	}},
	ActRefuseCall: {{
		Title: "Refuse a call", Verb: "refuse it", Consequence: "It will not run. Its agent sees your reason.", Reason: true, Done: "Refused", Undone: "not refused",
	}},
}

// Form returns the words of an act on n proposals.
func (a Act) Form(n int) Form {
	f := forms[a][0]
	if n > 1 {
		f.Verb, f.Consequence = forms[a][1].Verb, forms[a][1].Consequence
	}
	return f
}

// ErrNotStale is why a proposal cannot be rebased that is up to date.
var ErrNotStale = errors.New("it is not stale")

// Can returns nil when actor may do act to p in its present state, else
// ErrNotStale or an error that wraps ErrAuthority or ErrState.
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
