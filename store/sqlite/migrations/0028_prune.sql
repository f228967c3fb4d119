-- call_prunes (records): each row stands for calls that were moved to a file, the
-- oldest of the log: how many calls and outcomes, where both chains ended, and the
-- hash of the last line of the file.
CREATE TABLE call_prunes (
  seq          INTEGER PRIMARY KEY CHECK (seq > 0),
  id           TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  before       TEXT NOT NULL,
  calls        INTEGER NOT NULL CHECK (calls > 0),
  last_call    INTEGER NOT NULL,
  call_hash    TEXT NOT NULL CHECK (length(call_hash) = 64),
  outcomes     INTEGER NOT NULL CHECK (outcomes >= 0),
  last_outcome INTEGER NOT NULL,
  outcome_hash TEXT NOT NULL,
  file         TEXT NOT NULL,
  file_hash    TEXT NOT NULL CHECK (length(file_hash) = 64),
  pruned_by    TEXT NOT NULL CHECK (pruned_by GLOB 'user:?*'),
  pruned_at    TEXT NOT NULL,
  seal         TEXT NOT NULL CHECK (length(seal) = 64)
) STRICT;
-- The newest call and the newest outcome stay, because the next ones continue them.
CREATE TRIGGER call_prunes_insert BEFORE INSERT ON call_prunes
WHEN EXISTS (SELECT 1 FROM call_prunes WHERE seq = NEW.seq OR id = NEW.id OR last_call > NEW.last_call - NEW.calls)
  OR NEW.last_call - NEW.calls <> coalesce((SELECT max(last_call) FROM call_prunes), 0)
  OR NEW.last_outcome - NEW.outcomes <> coalesce((SELECT max(last_outcome) FROM call_prunes), 0)
  OR NEW.last_call >= (SELECT max(seq) FROM calls)
  OR NEW.outcomes > 0 AND NEW.last_outcome >= (SELECT max(seq) FROM call_outcomes)
  OR NOT EXISTS (SELECT 1 FROM calls WHERE seq = NEW.last_call AND hash = NEW.call_hash)
  OR NEW.outcomes > 0 AND NOT EXISTS (SELECT 1 FROM call_outcomes WHERE seq = NEW.last_outcome AND hash = NEW.outcome_hash)
  OR EXISTS (SELECT 1 FROM calls WHERE seq <= NEW.last_call AND at >= NEW.before)
BEGIN SELECT RAISE(ABORT, 'the oldest calls are moved to a file, in the order of the log'); END;
CREATE TRIGGER call_prunes_update BEFORE UPDATE ON call_prunes BEGIN SELECT RAISE(ABORT, 'records of pruned calls are immutable'); END;
CREATE TRIGGER call_prunes_delete BEFORE DELETE ON call_prunes BEGIN SELECT RAISE(ABORT, 'records of pruned calls are immutable'); END;

DROP TRIGGER calls_delete;
CREATE TRIGGER calls_delete BEFORE DELETE ON calls
WHEN OLD.seq > coalesce((SELECT max(last_call) FROM call_prunes), 0)
BEGIN SELECT RAISE(ABORT, 'calls are immutable'); END;
CREATE TRIGGER calls_pruned AFTER DELETE ON calls BEGIN DELETE FROM calls_open WHERE seq = OLD.seq; END;
DROP TRIGGER call_outcomes_delete;
CREATE TRIGGER call_outcomes_delete BEFORE DELETE ON call_outcomes
WHEN OLD.seq > coalesce((SELECT max(last_outcome) FROM call_prunes), 0)
BEGIN SELECT RAISE(ABORT, 'outcomes are immutable'); END;
-- The call that an answer started is no longer there to keep it from starting again.
CREATE TRIGGER calls_answered BEFORE INSERT ON calls
WHEN NEW.nth > 0 AND NEW.pending <> '' AND EXISTS (SELECT 1 FROM call_answers
  WHERE pending = NEW.pending AND answered_at < (SELECT max(before) FROM call_prunes))
BEGIN SELECT RAISE(ABORT, 'the answer is older than the log of calls'); END;
