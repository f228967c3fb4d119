-- A list of three or more words makes the engine build a table of them each time
-- a row is written. What every move of a proposal is held against is written out
-- instead; it says the same.
DROP TRIGGER proposals_update;
CREATE TRIGGER proposals_update BEFORE UPDATE ON proposals
WHEN OLD.state = 'approved' OR OLD.state = 'rejected' OR OLD.state = 'withdrawn'
  OR NEW.seq <> OLD.seq OR NEW.id <> OLD.id OR NEW.subject <> OLD.subject
  OR NEW.author <> OLD.author OR NEW.created_at <> OLD.created_at
  OR NEW.revision <> OLD.revision AND NEW.revision <> OLD.revision + 1
BEGIN SELECT RAISE(ABORT, 'a proposal keeps its identity, and a closed one its state'); END;
