-- call_refusals: how many calls of an agent for a user were refused in an hour
-- of UTC: those that have a row in calls, and those beyond, which are only
-- counted. The numbers only grow.
CREATE TABLE call_refusals (
  agent     TEXT NOT NULL,
  user      TEXT NOT NULL,
  hour      TEXT NOT NULL CHECK (length(hour) = 13),
  written   INTEGER NOT NULL CHECK (written >= 0),
  counted   INTEGER NOT NULL CHECK (counted >= 0),
  last_at   TEXT NOT NULL,
  last_code TEXT NOT NULL,
  PRIMARY KEY (agent, user, hour)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_refusals_counted ON call_refusals (hour) WHERE counted > 0;
CREATE TRIGGER call_refusals_insert BEFORE INSERT ON call_refusals
WHEN NEW.written + NEW.counted <> 1 OR EXISTS (SELECT 1 FROM call_refusals WHERE agent = NEW.agent AND user = NEW.user AND hour = NEW.hour)
BEGIN SELECT RAISE(ABORT, 'refused calls are counted one by one'); END;
CREATE TRIGGER call_refusals_update BEFORE UPDATE ON call_refusals
WHEN NEW.agent <> OLD.agent OR NEW.user <> OLD.user OR NEW.hour <> OLD.hour OR NEW.written < OLD.written OR NEW.counted < OLD.counted
  OR NEW.written + NEW.counted <> OLD.written + OLD.counted + 1
BEGIN SELECT RAISE(ABORT, 'refused calls are counted one by one'); END;
CREATE TRIGGER call_refusals_delete BEFORE DELETE ON call_refusals BEGIN SELECT RAISE(ABORT, 'what was counted stays'); END;
