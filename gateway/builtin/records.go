package builtin

import "time"

// Owner is whose data it is.
type Owner struct {
	Customer string // "" for none
	User     string
}

// Task is something to be done.
type Task struct {
	ID       string // UUIDv7
	Title    string
	Notes    string
	Status   string // open, done or cancelled
	Due      time.Time
	Priority string // low, normal or high
	Project  string // "" for none
	Tags     []string
	Created  time.Time
	Updated  time.Time
}

// Reminder is delivered to the user once.
type Reminder struct {
	ID      string // UUIDv7
	Text    string
	At      time.Time
	Sent    bool
	Task    string // id of a task that is there; "" for none
	Channel string // "" for where the user was last active
	Created time.Time
}

// Schedule starts the agent again and again.
type Schedule struct {
	ID          string // UUIDv7
	Title       string
	Instruction string
	Cron        string // five fields
	Zone        string // IANA name
	Channel     string // "" for where the user was last active
	Ends        time.Time
	Created     time.Time
}

// Memory is a statement that is kept.
type Memory struct {
	ID         string // UUIDv7
	Content    string
	Kind       string // fact, preference, event or note
	Importance int    // 1 to 5
	Project    string // "" for none
	Tags       []string
	Expires    time.Time
	Created    time.Time
	Updated    time.Time
	Entities   []string // names of the entities it is linked to, in no order
}

// Entity is somebody or something that memories are linked to. One that no
// memory is linked to any more is not there.
type Entity struct {
	ID       string // UUIDv7
	Name     string
	Type     string
	Aliases  []string
	Memories int
}

// Link leads from a memory to a memory or an entity.
type Link struct {
	Memory   string
	Target   string
	ToEntity bool
	Relation string
	At       time.Time
}
