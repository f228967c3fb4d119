package intake

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// Assign drafts the change by which an agent, or an allow-list, gets tools
// besides those that it has. holder is an agent that spells its tools out, or a
// list. The ids that it names already are left out; false when it names all.
func Assign(holder registry.Live, ids []string) (proposals.Draft, bool) {
	var listed []string
	d := holder.Definition
	switch {
	case d.List != nil:
		listed = d.List.Tools
	case d.Agent != nil && d.Agent.AllowList != nil:
		listed = d.Agent.AllowList.Tools
	}
	more := slices.DeleteFunc(distinct(ids), func(id string) bool { return slices.Contains(listed, id) })
	if len(more) == 0 {
		return proposals.Draft{}, false
	}
	tools := slices.Concat(listed, more)
	if d.List != nil {
		l := *d.List
		l.Tools = tools
		d = registry.Definition{List: &l}
	} else {
		a, list := *d.Agent, registry.AllowList{}
		if a.AllowList != nil {
			list = *a.AllowList
		}
		list.Tools = tools
		a.AllowList = &list
		d = registry.Definition{Agent: &a}
	}
	why := fmt.Sprintf("%s is to have %s.", holder.Subject.ID, strings.Join(more, ", "))
	return *Origin{}.draft(proposals.Modify, holder.Subject, holder.Version, d, why), true
}
