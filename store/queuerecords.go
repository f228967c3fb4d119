package store

// queueRecords are the records about proposals, with what the queue has beside them.
type queueRecords struct {
	recordTables
	eventLog
}

func newQueueRecords(s *session) queueRecords {
	return queueRecords{recordTables{session: s}, eventLog{session: s}}
}
