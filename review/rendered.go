package review

import "context"

func (d *Desk) rendered(context.Context, Reader, view) (map[string]string, error) { return nil, nil }
