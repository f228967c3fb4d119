-- calls_open: the calls that have no outcome: they run, or the program ended
-- while they did. There are few of them among however many calls.
CREATE TABLE calls_open (seq INTEGER PRIMARY KEY) STRICT;
INSERT INTO calls_open SELECT c.seq FROM calls c WHERE NOT EXISTS (SELECT 1 FROM call_outcomes o WHERE o.call = c.id);
CREATE TRIGGER calls_open_begin AFTER INSERT ON calls BEGIN INSERT INTO calls_open VALUES (NEW.seq); END;
CREATE TRIGGER calls_open_end AFTER INSERT ON call_outcomes
BEGIN DELETE FROM calls_open WHERE seq = (SELECT seq FROM calls WHERE id = NEW.call); END;
