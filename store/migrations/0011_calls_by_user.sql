-- The audit of calls is read by user, too.
CREATE INDEX calls_by_user ON calls (user, seq);
