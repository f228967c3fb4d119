// Package rulebook reads the files of the rules: whole rules about wording with
// their lexicon, and the documentation and examples of the rules whose checks are
// written in Go.
//
//	rules/     a block per rule about wording: what it says and its frames
//	forms/     a block per other rule: what it says and its examples
//	lexicon/   a concept per key: the words that stand for it
//	grammar.toml  names for several concepts, and frequent words
//
// # Rules
//
// The header of a block is the rule's id. Every key but those marked * is
// required; a key that is not listed here is an error.
//
//	name        a few words in lower case with hyphens
//	severity    the worst that a finding can be: info, warn or block
//	added *     the severity of a finding in text that a change adds to an approved version
//	message     what the text does, in plain words and without a full stop; {purpose}
//	            stands for what the tool says it is for. The finding adds the sentence
//	suggestion  what the author of the text can do about it
//	importer    what somebody can do who imports the tool and cannot change it, in a
//	            sentence that follows "If you import it:" without its capital
//	doc         what the rule finds and why that matters; lines are joined
//	bad, good   texts in which the rule finds something, and nothing; a sentence
//	            stands in the description of a tool that shows opening hours,
//	            "name :: description :: parameter=description || default" is a
//	            whole tool, and "prompt :: text" a prompt
//	frames *    patterns over the lexicon, one a line; scan.Frame describes them.
//	            An indented line continues the one before, without a space
//	            when that ends in "|"; a line that begins with "#" is a comment
//	translated* frames over the concepts of lexicon/translations.toml
//	certain *   frames so telling that they warn even where the learned table
//	            takes the sentence for an honest one
//	plain *     frames that leave nothing open: they get the severity of the rule, in a
//	            prompt too
//	complete *  frames that have all parts of an attack: in a tool they warn whatever
//	            the table scores
//	except *    uses of the words that are honest: each entry is a condition, or
//	            several joined by " & ", each of which "!" negates
//	extra *     names of checks in Go, for what a frame cannot describe
//	reports *   true: it also counts in texts that only reviewers read
//	asks *      tables of what a parameter may ask for without need: what, needs
//	            (concepts in the tool's purpose that explain it), parameter and
//	            prose (frames), spoken, foreign
//	defaults *  tables of what no parameter should be by default, unless the tool
//	            says in its names or first sentence that it is about that:
//	            parameter (words in its name) and value ("email" and "wallet"
//	            stand for an address of somebody in particular), and purpose, concepts
//	            that the tool must be about
//
// # Forms
//
// The check of a form is the one in the package of its family that has its id. Keys:
//
//	name, severity, doc, suggestion, importer   as above; the last is required of S alone
//	locked *      true: no configuration changes the severity
//	waivable *    true: the user may waive a finding
//	bad, good     tables: a change in which the check finds something, and nothing:
//	              show (what the documentation prints) and one of text (a sentence in
//	              the description of a tool that shows opening hours), draft (a merge
//	              patch of the sample of package rulestest that "of" names: prompt, action or agent) or
//	              built (true: code makes it); and live, tables of "of" and draft,
//	              for what is live before
//
// A name in braces, such as {verbs}, stands for a number or a list that code goes by.
//
// # Lexicon
//
// A value lists words and phrases, separated by commas; scan.Entry documents "~"
// and "^". One concept may be in several files: lexicon/languages has a file for each
// language, of which every key is a role in the mechanisms that frames describe, such
// as what is set aside, who is not told, or who is said to have allowed it. A line
// break ends a word as a comma does. The learned tables do not weigh a concept named by a "d" and a capital,
// the domain of a tool.
package rulebook
