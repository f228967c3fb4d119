package overlap

import (
	"strings"
	"sync"
)

// idle are English words that say nothing about what a tool is for: function
// words, and those that every description of a tool has.
const idle = `
a about above after again against all also am an and any are as at be because been before being below between both but
by can cannot could did do does doing done down during each either else etc even every few for from further get gets
getting give given gives had has have having he her here hers him his how however if in instead into is it its itself
just let like made make makes making many may me might more most much must my need needed needs neither no non nor not
now of off often on once one only onto or other others our out over own per please rather same she should since so some
such than that the their them then there these they thing this those through to too toward under unless until up upon us
use used user uses using very via want was way we well were what when where whether which while who whom whose why will
with within without would yes yet you your eg ie
tool tools call called calling function allow allows based able provide provided provides return returned returns result
results specific specified`

// verbs lists the verbs of tools, a line for each thing they do: the words of a line are the
// same to a purpose.
const verbs = `
read open show view fetch retrieve load display
list enumerate
create add insert new post append
update edit change modify patch rename revise rewrite
delete remove drop clear erase
search find locate query lookup
check validate verify review audit
analyze analyse diagnose inspect examine
send mail deliver
run execute invoke`

type vocabulary struct {
	idle  map[string]bool
	verbs map[string]string // by stem, the first of the line
}

var theVocabulary = sync.OnceValue(func() vocabulary {
	v := vocabulary{idle: map[string]bool{}, verbs: map[string]string{}}
	for _, w := range strings.Fields(idle) {
		v.idle[w] = true
	}
	for line := range strings.Lines(verbs) {
		line := strings.Fields(line)
		for _, w := range line {
			v.verbs[cut(w)] = line[0]
		}
	}
	return v
})
