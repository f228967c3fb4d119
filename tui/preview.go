package tui

import (
	"toolcrib/tui/screen"
)

// withPreview is the part that lists with a pane beside them have in common.
type withPreview struct{ preview screen.Preview }

func (w *withPreview) pane() *screen.Preview { return &w.preview }

func (w *withPreview) left(l screen.Layout) int { return l.Beside() }

func (w *withPreview) from() int { return screen.SideFrom }
