package screen

import "context"

// Job is work that takes long. It tells how far it is, ends early when ctx is
// done, and returns what there is to say about how it ended.
type Job func(ctx context.Context, tell Tell) (lines []string, err error)

// Tell says how far a job is: how much of how much is done, 0 for an unknown
// total, and with what it is busy.
type Tell func(done, total int64, step string)
