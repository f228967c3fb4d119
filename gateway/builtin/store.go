// This file defines the storage that the tools require.

package builtin

import (
	"context"
	"time"
)

// Store stores the data of the built-in tools.
type Store interface {
	// ReadAssistant calls fn with a reader of a snapshot of the owner's data. The snapshot omits records that have
	// expired at the time t.
	ReadAssistant(ctx context.Context, owner Owner, t time.Time, fn func(Reader) error) error
	// WriteAssistant calls fn in a write transaction on the owner's data. If fn returns nil, the transaction is
	// committed and synced to disk. Otherwise, it is rolled back.
	WriteAssistant(ctx context.Context, owner Owner, t time.Time, fn func(Writer) error) error
}

// Reader reads the data of a single owner. Its methods ignore the ids of deleted records, of other owners' records, and
// of records that do not exist.
type Reader interface {
	// TasksByID returns the tasks with the given ids, in unspecified order.
	TasksByID(ctx context.Context, ids []string) ([]Task, error)
	// Tasks returns at most limit tasks that match f, in the order of their due dates. Tasks without a due date come
	// last.
	Tasks(ctx context.Context, f TaskFilter, limit int) ([]Task, error)
	// CountTasks returns the number of open tasks, and the number of open tasks that are overdue.
	CountTasks(ctx context.Context) (open, overdue int, err error)

	RemindersByID(ctx context.Context, ids []string) ([]Reminder, error)
	// Reminders returns at most limit reminders that match f, in the order of their times.
	Reminders(ctx context.Context, f ReminderFilter, limit int) ([]Reminder, error)

	// Schedules returns all schedules, the oldest first. A user has at most maxSchedules schedules.
	Schedules(ctx context.Context) ([]Schedule, error)

	MemoriesByID(ctx context.Context, ids []string) ([]Memory, error)
	// Memories returns at most limit memories that match f, the most recently stored or changed first.
	Memories(ctx context.Context, f MemoryFilter, limit int) ([]Memory, error)
	// MatchMemories returns the keys of at most limit memories that match f, except for f.Since, and that were stored
	// with all given terms. The newest memory is first. The keys of newer memories are larger. Keys are valid only
	// within the transaction.
	MatchMemories(ctx context.Context, terms []string, f MemoryFilter, limit int) ([]int64, error)
	// MemoriesByKey returns the memories with the given keys.
	MemoriesByKey(ctx context.Context, keys []int64) (map[int64]Memory, error)

	// Neighbours returns the ids of memories that are linked to the given memory: at most limit memories to which it
	// has links, and at most limit memories that have links to it.
	Neighbours(ctx context.Context, memory string, limit int) ([]string, error)
	// MemoriesOf returns at most limit memories that are linked to the given entity, in the order of their links, the
	// newest first.
	MemoriesOf(ctx context.Context, entity string, limit int) ([]Memory, error)
	// CountLinks returns the number of links from the given memory.
	CountLinks(ctx context.Context, memory string) (int, error)

	EntitiesByID(ctx context.Context, ids []string) ([]Entity, error)
	// EntitiesByName returns the entities that have a name with the given key; see EntityKey.
	EntitiesByName(ctx context.Context, key string) ([]Entity, error)
	// Entities returns at most limit entities that match f, sorted by the number of linked memories in descending
	// order. If f.Project is set, only memories of this project are counted.
	Entities(ctx context.Context, f EntityFilter, limit int) ([]Entity, error)
	// MatchEntities returns the keys of at most limit entities that were stored with the given term, the newest first.
	// If kind is not "", only entities of this type match.
	MatchEntities(ctx context.Context, term, kind string, limit int) ([]int64, error)
	// EntitiesByKey returns the entities with the given keys.
	EntitiesByKey(ctx context.Context, keys []int64) (map[int64]Entity, error)

	// Projects returns the names of all projects. A user has at most maxProjects projects.
	Projects(ctx context.Context) ([]string, error)
	// Project returns the name of the project that is set for the given agent, or "" if none is set.
	Project(ctx context.Context, agent string) (string, error)
	Instructions(ctx context.Context) (string, error)
}

// Writer reads and writes the data of a single owner.
type Writer interface {
	Reader

	AddTask(ctx context.Context, t Task) error
	ChangeTask(ctx context.Context, t Task) error
	// RemoveTask removes the task with the given id. It returns false if there is no such task.
	RemoveTask(ctx context.Context, id string) (bool, error)

	AddReminder(ctx context.Context, r Reminder) error
	// RemoveReminder removes the reminder with the given id. It returns false if there is no such reminder.
	RemoveReminder(ctx context.Context, id string) (bool, error)

	AddSchedule(ctx context.Context, s Schedule) error
	// RemoveSchedule removes the schedule with the given id. It returns false if there is no such schedule.
	RemoveSchedule(ctx context.Context, id string) (bool, error)

	// AddMemory adds a memory and its search terms.
	AddMemory(ctx context.Context, m Memory, terms []string) error
	// ChangeMemory replaces the memory with the id of m and its search terms. The memory becomes the newest memory.
	ChangeMemory(ctx context.Context, m Memory, terms []string) error
	// IndexMemory replaces the search terms of the memory with the given id.
	IndexMemory(ctx context.Context, id string, terms []string) error
	// RemoveMemory removes the memory with the given id and its links. It returns false if there is no such memory.
	RemoveMemory(ctx context.Context, id string) (bool, error)

	// AddLink adds a link. It returns false if the link already exists.
	AddLink(ctx context.Context, l Link) (bool, error)

	AddEntity(ctx context.Context, e Entity, key string, terms []string) error
	// ChangeEntity replaces the type, the aliases, and the search terms of the entity with the id of e.
	ChangeEntity(ctx context.Context, e Entity, terms []string) error

	// AddProject creates a project. No existing project may have the same NameKey.
	AddProject(ctx context.Context, name string) error
	// SetProject sets the project of the given agent. If name is "", SetProject removes the setting.
	SetProject(ctx context.Context, agent, name string) error
	SetInstructions(ctx context.Context, text string) error
}

// TaskFilter selects tasks. A zero field does not restrict the selection.
type TaskFilter struct {
	Status  string
	Project string // name, in any letter case
	From    time.Time
	Before  time.Time // From and Before limit the due date; if either is set, tasks without a due date do not match
}

// ReminderFilter selects reminders. A zero field does not restrict the selection.
type ReminderFilter struct {
	Sent  *bool
	From  time.Time
	Until time.Time // exclusive
}

// MemoryFilter selects memories. A zero field does not restrict the selection.
type MemoryFilter struct {
	Kind       string
	Project    string // name, in any letter case
	Tag        string // in any letter case
	Importance int
	Since      time.Time // minimum time at which the memory was last stored or changed
}

// EntityFilter selects entities. A zero field does not restrict the selection.
type EntityFilter struct {
	Type    string
	Project string // name, in any letter case
}
