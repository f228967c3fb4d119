// This file declares the storage that the tools need.

package builtin

import (
	"context"
	"time"
)

// Store stores the data of the built-in tools.
type Store interface {
	// ReadAssistant calls fn with a snapshot of the owner's data at a time, without
	// expired entries.
	ReadAssistant(ctx context.Context, of Owner, at time.Time, fn func(Reader) error) error
	// WriteAssistant calls fn in a transaction. If fn returns nil, the transaction is committed and synced to disk.
	// Otherwise it is rolled back.
	WriteAssistant(ctx context.Context, of Owner, at time.Time, fn func(Writer) error) error
}

// Reader reads the data of one owner. It omits ids that are unknown, deleted, or of
// other owners.
type Reader interface {
	// TasksByID returns tasks in unspecified order.
	TasksByID(ctx context.Context, ids []string) ([]Task, error)
	// Tasks returns at most limit tasks, by due date. Tasks without a due date come last.
	Tasks(ctx context.Context, f TaskFilter, limit int) ([]Task, error)
	// CountTasks returns the number of open tasks, and the number of overdue ones among them.
	CountTasks(ctx context.Context) (open, overdue int, err error)

	RemindersByID(ctx context.Context, ids []string) ([]Reminder, error)
	// Reminders returns at most limit reminders, by time.
	Reminders(ctx context.Context, f ReminderFilter, limit int) ([]Reminder, error)

	// Schedules returns all schedules, oldest first. Their number is limited.
	Schedules(ctx context.Context) ([]Schedule, error)

	MemoriesByID(ctx context.Context, ids []string) ([]Memory, error)
	// Memories returns at most limit memories, the last stored or changed first.
	Memories(ctx context.Context, f MemoryFilter, limit int) ([]Memory, error)
	// MatchMemories returns the keys of at most limit memories that were stored
	// with all terms, newest first. It ignores Since of the filter. Keys increase
	// with time and are valid within the transaction.
	MatchMemories(ctx context.Context, terms []string, f MemoryFilter, limit int) ([]int64, error)
	// MemoriesByKey returns memories by their keys.
	MemoriesByKey(ctx context.Context, keys []int64) (map[int64]Memory, error)

	// Neighbours returns the ids of memories that are linked from or to a memory,
	// at most limit of each.
	Neighbours(ctx context.Context, memory string, limit int) ([]string, error)
	// MemoriesOf returns at most limit memories that are linked to an entity,
	// newest link first.
	MemoriesOf(ctx context.Context, entity string, limit int) ([]Memory, error)
	// CountLinks returns the number of links from a memory.
	CountLinks(ctx context.Context, memory string) (int, error)

	EntitiesByID(ctx context.Context, ids []string) ([]Entity, error)
	// EntitiesByName returns the entities that were stored with a key.
	EntitiesByName(ctx context.Context, key string) ([]Entity, error)
	// Entities returns at most limit entities, those with the most memories first.
	// If the filter has a project, only memories of the project count.
	Entities(ctx context.Context, f EntityFilter, limit int) ([]Entity, error)
	// MatchEntities returns the keys of at most limit entities that were stored
	// with a term, newest first. kind limits the type, unless it is "".
	MatchEntities(ctx context.Context, term, kind string, limit int) ([]int64, error)
	// EntitiesByKey returns entities by their keys.
	EntitiesByKey(ctx context.Context, keys []int64) (map[int64]Entity, error)

	// Projects returns the names of all projects. Their number is limited.
	Projects(ctx context.Context) ([]string, error)
	// Project returns the project that is set for an agent, or "".
	Project(ctx context.Context, agent string) (string, error)
	Instructions(ctx context.Context) (string, error)
}

// Writer reads and writes the data of one owner.
type Writer interface {
	Reader

	AddTask(ctx context.Context, t Task) error
	ChangeTask(ctx context.Context, t Task) error
	// RemoveTask returns false if there is no such task.
	RemoveTask(ctx context.Context, id string) (bool, error)

	AddReminder(ctx context.Context, r Reminder) error
	// RemoveReminder returns false if there is no such reminder.
	RemoveReminder(ctx context.Context, id string) (bool, error)

	AddSchedule(ctx context.Context, s Schedule) error
	// RemoveSchedule returns false if there is no such schedule.
	RemoveSchedule(ctx context.Context, id string) (bool, error)

	// AddMemory adds a memory with its search terms.
	AddMemory(ctx context.Context, m Memory, terms []string) error
	// ChangeMemory changes a memory, which becomes the newest.
	ChangeMemory(ctx context.Context, m Memory, terms []string) error
	// IndexMemory changes only the search terms of a memory.
	IndexMemory(ctx context.Context, id string, terms []string) error
	// RemoveMemory removes a memory with its links. It returns false if there is no
	// such memory.
	RemoveMemory(ctx context.Context, id string) (bool, error)

	// AddLink returns false if the link already exists.
	AddLink(ctx context.Context, l Link) (bool, error)

	AddEntity(ctx context.Context, e Entity, key string, terms []string) error
	// ChangeEntity changes the type, the aliases and the terms.
	ChangeEntity(ctx context.Context, e Entity, terms []string) error

	// AddProject creates a project. The name must be unused, ignoring letter case.
	AddProject(ctx context.Context, name string) error
	// SetProject sets the project of an agent; "" removes it.
	SetProject(ctx context.Context, agent, name string) error
	SetInstructions(ctx context.Context, text string) error
}

// TaskFilter filters tasks. Zero values match all tasks.
type TaskFilter struct {
	Status  string
	Project string // name, in any letter case
	From    time.Time
	Before  time.Time // From and Before exclude tasks without a due date
}

// ReminderFilter filters reminders. Zero values match all reminders.
type ReminderFilter struct {
	Sent  *bool
	From  time.Time
	Until time.Time // exclusive
}

// MemoryFilter filters memories. Zero values match all memories.
type MemoryFilter struct {
	Kind       string
	Project    string // name, in any letter case
	Tag        string // in any letter case
	Importance int
	Since      time.Time // stored or changed at this time or later
}

// EntityFilter filters entities. Zero values match all entities.
type EntityFilter struct {
	Type    string
	Project string // name, in any letter case
}
