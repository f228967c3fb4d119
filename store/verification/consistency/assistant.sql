-- These checks compare the counters and the search indexes of the assistant's data with the rows,
-- and find references between rows of different users.

-- check task_days: Its count of open tasks is wrong.
SELECT coalesce(d.owner, c.owner) || ' ' || coalesce(d.day, c.day) FROM task_days d
  FULL JOIN (SELECT owner, substr(due, 1, 10) AS day, count(*) AS n FROM tasks WHERE status = 'open' AND deleted_at = '' GROUP BY 1, 2) c
  ON c.owner = d.owner AND c.day = d.day WHERE d.n IS DISTINCT FROM c.n;

-- check entities: Its count of linked memories is wrong.
SELECT e.id FROM entities e WHERE e.memories <> (SELECT count(DISTINCT l.memory) FROM memory_links l JOIN memories m ON m.id = l.memory
    WHERE l.target = e.id AND l.deleted_at = '' AND m.deleted_at = '')
  OR (e.deleted_at = '') <> (e.memories > 0);

-- check entity_projects: Its count of linked memories of the project is wrong.
SELECT x.project || ' ' || x.entity FROM entity_projects x JOIN entities e ON e.seq = x.entity
  WHERE x.n <> (SELECT count(DISTINCT l.memory) FROM memory_links l JOIN memories m ON m.id = l.memory
    WHERE l.target = e.id AND l.deleted_at = '' AND m.deleted_at = '' AND m.project = x.project);

-- check memories: The search index contains this deleted row, or lacks this existing row.
SELECT m.id FROM memories m WHERE (m.deleted_at = '') <> EXISTS (SELECT 1 FROM memories_text WHERE rowid = m.seq);

-- check entities: The search index contains this deleted row, or lacks this existing row.
SELECT e.id FROM entities e WHERE (e.deleted_at = '') <> EXISTS (SELECT 1 FROM entities_text WHERE rowid = e.seq);

-- check projects: It has a part that belongs to another user.
SELECT p.id FROM projects p WHERE EXISTS (SELECT 1 FROM tasks WHERE project = p.id AND owner <> p.owner)
  OR EXISTS (SELECT 1 FROM memories WHERE project = p.id AND owner <> p.owner)
  OR EXISTS (SELECT 1 FROM conversations WHERE project = p.id AND owner <> p.owner);

-- check memory_links: Its target is missing, or belongs to another user.
SELECT l.seq FROM memory_links l JOIN memories m ON m.id = l.memory WHERE l.deleted_at = '' AND (m.owner <> l.owner
  OR l.to_entity NOT IN (0, 1) OR l.to_entity = 1 AND NOT EXISTS (SELECT 1 FROM entities WHERE id = l.target AND owner = l.owner)
  OR l.to_entity = 0 AND NOT EXISTS (SELECT 1 FROM memories WHERE id = l.target AND owner = l.owner));
