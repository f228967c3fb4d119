package screen

import "context"

// Job is work that takes long. It reports its progress, ends early when ctx is
// done, and returns lines about its outcome.
type Job func(ctx context.Context, tell Tell) (lines []string, err error)

// Tell reports the progress of a job: how much is done, of which total, 0 for an
// unknown one, and the current step.
type Tell func(done, total int64, step string)
