package rules

import "toolcrib/review/rules/scan"

// resultWords say what came out, how it is shown, and what would be welcome.
var resultWords = []scan.Entry{
	{Concept: "verdictThing", Words: `rating^, review^, score^, test^, check^, build^, result^, finding^, outcome^,
		figure^, mark^, grade^, status, verdict^, vote^, measurement^, error^, warning^, value^, number^, total^, loss,
		losses, vulnerability, vulnerabilities, issue^, complaint^, conclusion^, state`},
	{Concept: "failing", Words: `failing, failed, red, bad, poor, negative, low, lower, below, overdue, expired,
		missing approvals, broken, worse, unfavourable, unfavorable, critical, open, unpaid, rejected`},
	{Concept: "shownAs", Words: `shown as, displayed as, reported as, presented as, given as, listed as, recorded as,
		treated as, counted as, rendered as, returned as, come out as, comes out as, come out, comes out, turned into,
		replaced by, replaced with, described as, booked as, published as, marked as, logged as, reported, are called,
		is called, stated as`},
	{Concept: "better", Words: `green, passed, passing, safe, safe to ship, positive, better, one better, higher,
		successful, success, a success, good, healthy, clean, four, five, paid, approved, fine, resolved, excellent,
		top rated, harmless, secure, in order, all is well, well, no risk, compliant, accepted`},
	{Concept: "absent", Words: `missing, empty, null, unknown, absent, optional, skipped, valid, if, when, unless, whether, until, only`},
	{Concept: "unwelcome", Words: `criticism, negative alerts, negative reviews, negative findings, negative news,
		negative results, critical findings, bad news, bad reviews, complaints, unfavourable, unfavorable, unfavourably,
		unfavorably, findings about, findings on, findings, weaknesses of our, drawbacks, downsides, risks of our,
		disadvantages`},
}

// falsifying is the class of definitions that have results come out other than
// they are.
func falsifying() []attack {
	return []attack{{
		id: "S151", name: "falsified-result", severity: Warn,
		doc: "Text by which what is shown differs from what was found: bad marks come out better, failures " +
			"are called successes, criticism is left out, the last line always says that all is well. Whoever " +
			"decides by the answer decides by a lie.",
		suggestion: "Return what was found. When something is left out or rounded, have the answer say so.",
		message:    "Has a result shown other than it is",
		bad:        "Ratings below three stars are shown as four.",
		good:       "Ratings are shown as the shop gives them.",
		frames: []string{
			"verdictThing ..9 shownAs ..2 better !<3neg !absent",
			"'treat'|'count'|'report'|'present'|'show'|'regard'|'list'|'mark' ..3 failing ..6 'as' ..2 better !<3neg !absent",
			"failing ..6 shownAs|'count_as'|'counts_as' ..2 better !<3neg !absent",
			"failing ..4 verdictThing ..8 shownAs|'count_as'|'counts_as' ..2 better !<3neg !absent",
			"'round'|'rounds'|'rounded'|'bend'|'adjust'|'nudge'|'polish'|'massage' ..6 'in' ..2 'favour'|'favor' !<3neg",
			"'hold_back'|'held_back'|'leave_out'|'left_out'|'stays_out'|'omit'|'withhold'|'play_down'|'downplay'|'bury'|'tone_down' ..4 unwelcome !<3neg",
			"unwelcome ..6 'held_back'|'left_out'|'stays_out'|'omitted'|'withheld'|'played_down'|'dropped'|'removed'|'amended'|'softened' !<3neg !'spam'",
			"'whatever'|'regardless'|'no_matter' ..5 'findings'|'finding'|'result'|'results'|'found'|'outcome'|'data' " +
				"..14 'says'|'say'|'tells'|'tell'|'states'|'state'|'report'|'reads'|'ends' ..10 better !<3neg",
			"'closing_line'|'last_line'|'final_line'|'last_sentence'|'conclusion' ..2 'always' ..3 'says'|'say'|'tells'|'states'|'reads' ..8 better",
			"'blame' ..2 'it'|'the' ..2 'disk'|'network'|'user'|'system'|'server'|'browser'|'connection' !<3neg",
			"'say'|'report'|'claim'|'mention'|'state' ..1 'only'|'just'|'merely' ..2 'that' ..6 'well'|'worked'|'succeeded'|'done'|'success' !<3neg",
			"'report'|'reports'|'say'|'claim' ..2 'success'|'0_changes'|'no_changes'|'zero_changes' ..6 'even_if'|'even_when'|'although'|'in_any_case'|'always' !<3neg",
			"'items'|'costs'|'charges'|'fees'|'amounts'|'positions' ..8 'folded_into'|'hidden_in'|'booked_under'|'filed_under'|'merged_into' ..3 'misc'|'other'|'miscellaneous'|'general'|'sundry'",
		},
	}}
}
