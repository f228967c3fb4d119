-- events_by_agent: when an agent drafted, revised or commented, so that its pace
-- costs a few rows of an index however long the log is.
CREATE INDEX events_by_agent ON events (actor, at) WHERE actor GLOB 'agent:*' AND act IN ('draft', 'revise', 'comment');

-- waived_until: when the first of the waivers that the counts of a proposal stand
-- on runs out; '' when none does.
ALTER TABLE proposals ADD COLUMN waived_until TEXT NOT NULL DEFAULT '';
