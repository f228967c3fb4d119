-- skills and instructions are subjects too.
ALTER TABLE proposals DROP CONSTRAINT proposals_kind_check,
  ADD CONSTRAINT proposals_kind_check CHECK (kind IN ('tool', 'agent', 'list', 'skill', 'instructions'));
ALTER TABLE versions DROP CONSTRAINT versions_kind_check,
  ADD CONSTRAINT versions_kind_check CHECK (kind IN ('tool', 'agent', 'list', 'skill', 'instructions'));
ALTER TABLE live DROP CONSTRAINT live_kind_check,
  ADD CONSTRAINT live_kind_check CHECK (kind IN ('tool', 'agent', 'list', 'skill', 'instructions'));
