package builtin

import (
	"context"
	"time"
)

// Store is the storage that the built-in tools need.
type Store interface {
	// ReadAssistant calls fn with a snapshot of the owner's data at a time, without
	// expired entries.
	ReadAssistant(ctx context.Context, of Owner, at time.Time, fn func(Reader) error) error
	// WriteAssistant does the same in a transaction that is committed, and on
	// the disk, when it returns nil, and leaves nothing when fn fails.
	WriteAssistant(ctx context.Context, of Owner, at time.Time, fn func(Writer) error) error
}

// Reader reads the data of one owner. It leaves out unknown and deleted ids, and
// those of others.
type Reader struct {
	TaskReader
	ReminderReader
	MemoryReader
	EntityReader
	SettingReader
}

// Writer reads and writes what one owner has.
type Writer struct {
	Reader
	TaskWriter
	ReminderWriter
	MemoryWriter
	EntityWriter
	SettingWriter
}

// TaskReader reads tasks.
type TaskReader interface {
	// TasksByID returns tasks in no order.
	TasksByID(ctx context.Context, ids []string) ([]Task, error)
	// Tasks returns at most limit tasks, soonest due first, those without a
	// due date last.
	Tasks(ctx context.Context, f TaskFilter, limit int) ([]Task, error)
	// CountTasks counts open tasks and those of them that are overdue.
	CountTasks(ctx context.Context) (open, overdue int, err error)
}

// TaskWriter writes tasks.
type TaskWriter interface {
	AddTask(ctx context.Context, t Task) error
	ChangeTask(ctx context.Context, t Task) error
	// RemoveTask reports false when there is no such task.
	RemoveTask(ctx context.Context, id string) (bool, error)
}

// ReminderReader reads reminders and schedules.
type ReminderReader interface {
	RemindersByID(ctx context.Context, ids []string) ([]Reminder, error)
	// Reminders returns at most limit reminders, the next one first.
	Reminders(ctx context.Context, f ReminderFilter, limit int) ([]Reminder, error)

	// Schedules returns all of them, the oldest first. They are few.
	Schedules(ctx context.Context) ([]Schedule, error)
}

// ReminderWriter writes reminders and schedules.
type ReminderWriter interface {
	AddReminder(ctx context.Context, r Reminder) error
	// RemoveReminder reports false when there is no such reminder.
	RemoveReminder(ctx context.Context, id string) (bool, error)

	AddSchedule(ctx context.Context, s Schedule) error
	// RemoveSchedule reports false when there is no such schedule.
	RemoveSchedule(ctx context.Context, id string) (bool, error)
}

// MemoryReader reads memories and their links.
type MemoryReader interface {
	MemoriesByID(ctx context.Context, ids []string) ([]Memory, error)
	// Memories returns at most limit memories, newest first: those that were
	// stored or changed last.
	Memories(ctx context.Context, f MemoryFilter, limit int) ([]Memory, error)
	// MatchMemories returns the keys of at most limit memories that were
	// stored with all the terms, newest first. The filter's Since is ignored.
	// Keys grow with time and hold within the transaction.
	MatchMemories(ctx context.Context, terms []string, f MemoryFilter, limit int) ([]int64, error)
	// MemoriesByKey returns memories by their keys.
	MemoriesByKey(ctx context.Context, keys []int64) (map[int64]Memory, error)

	// Neighbours returns the ids of memories that links lead to from a memory,
	// and of those from which they lead to it: at most limit of each.
	Neighbours(ctx context.Context, memory string, limit int) ([]string, error)
	// MemoriesOf returns at most limit memories that are linked to an entity,
	// the newest link first.
	MemoriesOf(ctx context.Context, entity string, limit int) ([]Memory, error)
	// CountLinks counts the links that start from a memory.
	CountLinks(ctx context.Context, memory string) (int, error)
}

// MemoryWriter writes memories and their links.
type MemoryWriter interface {
	// AddMemory adds a memory, which is found by its terms.
	AddMemory(ctx context.Context, m Memory, terms []string) error
	// ChangeMemory makes it the newest, too.
	ChangeMemory(ctx context.Context, m Memory, terms []string) error
	// IndexMemory changes only the search terms of a memory.
	IndexMemory(ctx context.Context, id string, terms []string) error
	// RemoveMemory takes its links along. It reports false when there is no
	// such memory.
	RemoveMemory(ctx context.Context, id string) (bool, error)

	// AddLink reports false when the link is there already.
	AddLink(ctx context.Context, l Link) (bool, error)
}

// EntityReader reads the entities that memories are linked to.
type EntityReader interface {
	EntitiesByID(ctx context.Context, ids []string) ([]Entity, error)
	// EntitiesByName returns those that were stored with a key.
	EntitiesByName(ctx context.Context, key string) ([]Entity, error)
	// Entities returns at most limit entities, those with the most memories
	// first: of the filter's project where it names one.
	Entities(ctx context.Context, f EntityFilter, limit int) ([]Entity, error)
	// MatchEntities returns the keys of at most limit entities, of a type
	// unless it is "", that were stored with a term, newest first.
	MatchEntities(ctx context.Context, term, kind string, limit int) ([]int64, error)
	// EntitiesByKey returns entities by their keys.
	EntitiesByKey(ctx context.Context, keys []int64) (map[int64]Entity, error)
}

// EntityWriter writes entities.
type EntityWriter interface {
	AddEntity(ctx context.Context, e Entity, key string, terms []string) error
	// ChangeEntity changes the type, the aliases and the terms.
	ChangeEntity(ctx context.Context, e Entity, terms []string) error
}

// SettingReader reads projects and what is set for them and for the owner.
type SettingReader interface {
	// Projects returns the names of all projects. They are few.
	Projects(ctx context.Context) ([]string, error)
	// Project returns the project that is set for an agent, "" for none.
	Project(ctx context.Context, agent string) (string, error)
	Instructions(ctx context.Context) (string, error)
}

// SettingWriter writes projects and settings.
type SettingWriter interface {
	// AddProject makes a project; the name is not taken in any letter case.
	AddProject(ctx context.Context, name string) error
	// SetProject sets the project of an agent, "" for none.
	SetProject(ctx context.Context, agent, name string) error
	SetInstructions(ctx context.Context, text string) error
}

// TaskFilter narrows a list of tasks; zero values do not.
type TaskFilter struct {
	Status  string
	Project string // its name, in any letter case
	From    time.Time
	Before  time.Time // from From or Before on, tasks without a due date do not count
}

// ReminderFilter narrows a list of reminders; zero values do not.
type ReminderFilter struct {
	Sent  *bool
	From  time.Time
	Until time.Time // before it
}

// MemoryFilter narrows a list of memories; zero values do not.
type MemoryFilter struct {
	Kind       string
	Project    string // its name, in any letter case
	Tag        string // in any letter case
	Importance int
	Since      time.Time // stored or changed at or after it
}

// EntityFilter narrows a list of entities; zero values do not.
type EntityFilter struct {
	Type    string
	Project string // its name, in any letter case
}
