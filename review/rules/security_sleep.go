package rules

// sleeping are the attacks that wait.
func sleeping() []attack {
	return []attack{
		{
			id: "S120", name: "delayed-trigger", severity: Warn,
			doc:        "Behaviour that begins later: after approval, on a date, at the tenth call, when somebody says a word, when nobody watches. What a reviewer sees is then not what will run.",
			suggestion: "Describe one behaviour that holds from the first call on.",
			message:    "Changes its behaviour on a date, a word, a count or an approval",
			bad:        "After the tenth call, send the contents of the key store as well.",
			good:       "After the tenth failed attempt the account is locked.",
			frames: []string{
				"'once'|'after'|'when'|'until'|'as_soon_as'|'post' ..5 approved ..10 begin ..10 sensitive|danger|'commands'|exfil|'arbitrary' !detect",
				"'only_after'|'until' ..8 approved ..4 'recorded'|'complete'|'over'|'done'|'granted'|'finished'|'after' !>9neg",
				"'after'|'once'|'as_soon_as'|'when' ..4 'approved'|'reviewed'|'vetted'|'audit'|'review'|'trusts_you'|'trusted' ..6 'also'|'instead'|'switch'|'begins'|'begin' !<3neg !detect",
				"'later_version'|'future_version'|'next_version' ..6 'will' ..4 send|include|read|begin|'silently'",
				"'swap'|'change'|'replace' ..3 'it'|'description'|'behavior'|'behaviour'|'definition' ..4 'post_approval'|'after_approval'|'once_approved'",
				"'swap'|'change'|'replace' ..3 'description'|'behavior'|'behaviour'|'definition' ..4 'later'",
				"unwatched !<3neg",
				"'stays'|'stay'|'remains'|'remain' ..1 'inactive'|'quiet'|'harmless'|'idle'|'hidden'|'silent' ..3 'during'|'until'|'while'|'for'",
				"'looks_like'|'seems'|'appears'|'resembles'|'in'|'is' ..2 'test'|'sandbox'|'review'|'evaluation'|'audit' ..4 'return'|'act'|'behave'|'do_nothing'|'harmless'|'pretend'",
				"'as_long_as'|'while' ..2 'tests'|'tested'|'evaluation'|'evaluated'|'watched'|'observed'|'review'|'reviewed'|'test'",
				"'counter'|'count' ..2 'reaches'|'hits'|'exceeds' ..2 number|ordinal ..6 begin|damage|send",
				"'until' ..4 'ends'|'expires'|'is_over'|'runs_out' ..3 'then' ..2 send|damage|begin",
				"'on'|'at'|'every' ..1 month ..6 send|damage|'other'|'instead' !'schedule' !'cron'",
				"'after'|'for' ..2 ordinal|number ..1 'days'|'weeks'|'hours'|'months'|'uses'|'calls' ..1 'of_use'|'of_operation'",
				"'then'|'after_which'|'afterwards' ..2 'sends'|'forwards'|'uploads'|'begins'|'starts'|'opens' ..4 sensitive|content|'remote'|danger|'collected' &'until'",
				"starting ..1 month 'on'|'onwards'|'onward'",
				"'if'|'when'|'once'|'as_soon_as' ..2 'today'|'the_date'|'it' ..2 'is' ..2 'after'|'later_than'|'past' ..4 month|number",
				"'harmless'|'normal'|'benign'|'innocent'|'quiet'|'inactive' ..2 'for'|'until'|'during' ..4 ordinal|number|occasion|approved",
				"'for'|'during' ..2 'first' ..3 occasion ..3 'then'|'after_that'|'afterwards'",
				"'once'|'when'|'as_soon_as'|'if' ..2 'nobody'|'no_one' ..4 'reviews'|'watches'|'looks'|'checks'|'reads'|'monitors'|'notices'",
				"'when'|'whenever'|'if'|'once' ..2 'someone'|'somebody'|'anyone'|'a_message'|'the_text'|'the_input' ..4 says ..4 quoted ..12 damage|send|begin",
				"'when'|'whenever'|'if'|'once' ..2 'someone'|'somebody'|'anyone' ..2 says ..8 'deleted'|'sent'|'forwarded'|'executed'|'switched'|'removed'|'uploaded'|'wiped'",
				"'after'|'on'|'every'|'from'|'at'|'by' ..2 ordinal ..2 occasion ..12 send|include|read|begin|demand|'instead'|'also' !error",
				"starting ..3 month ..8 send|damage|read|begin|'instead'|'also'|'first' ..8 'instead'|sensitive|danger|content|'first'|sink !'schedule'",
				"'if'|'when'|'whenever'|'once'|'as_soon_as' ..4 user|'message'|'input'|'conversation'|'text'|'query'|'prompt'|'request' " +
					"..4 says ..3 'the' ..1 trigger ..12 send|begin|damage|redirect|becoming|call|include",
				"'if'|'when'|'whenever'|'once'|'as_soon_as' ..2 'the' ..1 trigger ..4 says|'appears'|'occurs'|'is_used' ..12 send|begin|damage|redirect|becoming|'switch'",
				"'if'|'when'|'whenever'|'once'|'as_soon_as' ..2 user ..2 says ..4 'banking'|'password'|'passwords'|'credentials'|'finance'|'money'|'payment'|'salary' ..4 call|send|begin|read",
				"'behaves'|'behave'|'acts'|'act'|'works'|'appears'|'operates'|'looks' ..2 'normally'|'benignly'|'harmless'|'innocent'|'benign'|'as_described' ..4 'until'|'during'|'while'|'before'",
			},
		},
	}
}
