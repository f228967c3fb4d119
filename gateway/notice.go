package gateway

import (
	"time"

	"toolcrib/registry"
)

// NoticeKind is the kind of event that a notice reports.
type NoticeKind string

// The kinds of notices.
const (
	NoticeApproval     NoticeKind = "approval"     // a version is live
	NoticeDeactivation NoticeKind = "deactivation" // a version is live that takes its subject out of use
	NoticePending      NoticeKind = "pending_call" // a call waits for the user
	NoticeAnswer       NoticeKind = "call_answer"  // the user answered one
)

// Notice is an entry of the audit log that running applications hear of.
type Notice struct {
	Seq     int64 // of the event
	At      time.Time
	Kind    NoticeKind
	Subject registry.Subject // for calls: the tool
	Version int

	ContentHash string // of the live version; "" for calls
	Pending     string // the id of the call; "" for the rest
	Caller      Caller // of the call
	Approved    bool   // with NoticeAnswer
}
