-- The queue is read in orders other than that of time, whole or by state. Two
-- indexes take the place of two that had the open proposals only, so that what
-- is written for a proposal grows by one index and not by three.
--
-- risk is how much there is to look at: open blocks first, then the worst
-- finding, then how many there are. It is computed where it is read.
--
-- seq is not named in these indexes and ends each of them all the same, as the
-- row's id.
ALTER TABLE proposals ADD COLUMN risk INTEGER GENERATED ALWAYS AS (
  min(blocks, 9999) * 10000000
  + CASE worst WHEN 'block' THEN 3 WHEN 'warn' THEN 2 WHEN 'info' THEN 1 ELSE 0 END * 1000000
  + min(findings, 999999)) VIRTUAL;
CREATE INDEX proposals_by_risk ON proposals (state, risk);
CREATE INDEX proposals_by_state_subject ON proposals (state, subject);
CREATE INDEX proposals_by_state_author ON proposals (state, author);
DROP INDEX proposals_open_by_subject;
DROP INDEX proposals_open_by_author;
