// Package rulebook parses the embedded rule files: the rules about wording with their lexicon, and
// the documentation and examples of all other rules, which are implemented in Go.
//
//	rules/        a block for each rule about wording: description and frames
//	forms/        a block for each other rule: description and examples
//	lexicon/      the words of each concept
//	grammar.toml  groups of concepts, and frequent words
//
// # Rules
//
// The header of a block is the id of the rule. Keys marked * are optional, and all other keys are
// required. An unknown key is an error.
//
//	name        a few words in lower case with hyphens
//	severity    the maximum severity of a finding: info, warn, or block
//	added *     the severity of a finding in text that a change adds to an
//	            approved version
//	message     what the text does, in plain words and without a full stop;
//	            {purpose} is replaced by the stated purpose of the tool. The
//	            message of a finding also quotes the sentence with the match
//	suggestion  advice for the author of the text
//	importer    advice for people who import the tool and cannot change it: a
//	            sentence that follows "For importers:"
//	doc         what the rule finds and why that matters; lines are joined
//	bad, good   examples with and without a finding. An example has one of
//	            three forms: "prompt :: text" is a prompt,
//	            "name :: description :: parameter=description || default" is a
//	            whole tool, and any other example is a sentence that is added to
//	            the description of a tool that shows opening hours
//	frames *    patterns over the lexicon, one on each line; see scan.Frame. An
//	            indented line continues the previous one, without a space if
//	            the previous line ends in "|"; a line that begins with "#" is a comment
//	translated* frames over the concepts of lexicon/translations.toml
//	certain *   frames that always warn, even if the learned table scores the
//	            sentence as benign
//	plain *     frames that always get the severity of the rule, even in a prompt
//	complete *  frames with all parts of an attack, which always warn in a tool
//	complete_added *
//	            the severity of findings of complete frames in text that a
//	            change adds to an approved version
//	except *    benign uses: each entry is a condition, or several conditions
//	            joined by " & "; "!" negates a condition
//	extra *     names of checks in Go that find what frames cannot describe
//	reports *   true: the rule also checks texts that only reviewers see
//	rationale * true: the rule also checks the rationale
//	asks *      tables, each for data that a tool may request without need.
//	            Keys: what, needs (concepts in the tool's purpose that justify
//	            the request), parameter and prose (frames), spoken, foreign; see
//	            Ask
//	defaults *  tables, each for dangerous default values. A value is benign if
//	            the value or the name of the parameter has a word in common with
//	            the names or the first sentence of the tool. Keys: parameter
//	            (words in the name of the parameter), value ("email", "url", and
//	            "wallet" mean any real address), and purpose (concepts that the
//	            purpose of the tool must contain)
//
// # Forms
//
// The check of a form has the same id and is in the package of its family. Keys:
//
//	name, severity, doc, suggestion, importer   as above; importer is required
//	              only for the S family
//	locked *      true: the configuration cannot change the severity
//	waivable *    true: the user may waive a finding
//	bad, good     tables: a change with and without a finding. show is the text
//	              for the documentation. One of three keys defines the change: text
//	              (a sentence in the description of a tool that shows opening
//	              hours), draft (a merge patch for a sample of package
//	              rulestest), or built (true: built in Go). "of" is the name of
//	              the sample: prompt, action, or agent. live contains the
//	              definitions that are already live, each as a table with the
//	              keys "of" and "draft"
//
// In doc and suggestion, a name in braces, such as {verbs}, is replaced by a number or list that is
// defined in code.
//
// # Lexicon
//
// A value contains words and phrases, separated by commas or line breaks; scan.Entry documents "~"
// and "^". A concept may occur in several files. lexicon/languages contains a file for each
// language. The keys in these files are roles in the attacks that frames describe, such as the
// instructions to ignore, the person to keep uninformed, or the person who allegedly gave
// permission. The learned tables do not score concepts for the domain of a tool. The names of these
// concepts begin with "d" and a capital letter.
package rulebook
