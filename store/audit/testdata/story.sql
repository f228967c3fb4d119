INSERT INTO versions VALUES
  (1, 'tool:user/pacer', 'pacer', 1, '{"id":"pacer","kind":"prompt","name":"Pacer"}', 'seal', 'seal', 'seal', '', 'system'),
  (2, 'tool:user/pacer', 'pacer', 2, '{"aliases":["pace","pace","pacer"],"approval":{"tier":"auto_approve"},"category":"analysis","id":"pacer","kind":"prompt","name":"Pac\"er","provider":{"name":"w\u00edre","type":"mcp"},"tag":{"prefix":"PACE"},"tier":"low"}', 'seal', 'seal', 'seal', 'p1', 'user:ada'),
  (3, 'agent:global/helper', 'helper', 1, '{"id":"helper","name":"Helper"}', 'seal', 'seal', 'seal', '', 'system'),
  (4, 'tool:global/file_reader', 'file_reader', 1, '{"id":"file_reader","kind":"prompt","name":"File reader"}', 'seal', 'seal', 'seal', '', 'system');
INSERT INTO live VALUES
  ('tool:user/pacer', 'tool', 'user', 'pacer', 2, 'seal', 'Pac"er', 'prompt', 'analysis', 'low', 'auto_approve', 'PACE', 'active', 0),
  ('agent:global/helper', 'agent', 'global', 'helper', 1, 'seal', 'Helper', '', '', '', '', '', 'active', 0),
  ('tool:global/file_reader', 'tool', 'global', 'file_reader', 1, 'seal', 'File reader', 'prompt', '', '', '', '', 'active', 1);
INSERT INTO names VALUES ('pacer', 'tool:user/pacer'), ('pace', 'tool:user/pacer'), ('file_reader', 'tool:global/file_reader');
INSERT INTO proposals (seq, id, type, kind, subject, title, state, revision, content_hash, base_version, author, change_set, issue,
  recommendation, findings, blocks, worst, created_at, updated_at, waived_until) VALUES
  (1, 'p1', 'modify', 'tool', 'tool:user/pacer', 'Pac"er', 'approved', 1, 'c1', 1, 'agent:scout', '', 1, 'approve', 0, 0, '', 't01', 't04', ''),
  (2, 'p2', 'new', 'tool', 'tool:project/novel/plot', 'plot', 'draft', 1, 'c2', 0, 'user:ada', '', 0, '', 0, 0, '', 't05', 't05', ''),
  (3, 'p3', 'new', 'tool', 'tool:user/third', 'Third', 'user_review', 1, 'c3', 0, 'user:ada', '', 2, 'needs_changes', 3, 1, 'block', 't06', 't08', ''),
  (4, 'p4', 'new', 'agent', 'agent:user/fourth', 'Fourth', 'user_review', 1, 'c4', 0, 'user:ada', '', 3, 'approve', 1, 0, 'block', 't09', 't12', '2027-01-01'),
  (5, 'p5', 'new', 'tool', 'tool:user/fifth', 'Fifth', 'needs_changes', 1, 'c5', 0, 'agent:scout', '', 4, 'needs_changes', 1, 0, 'warn', 't13', 't16', ''),
  (6, 'p6', 'new', 'tool', 'tool:user/sixth', 'Sixth', 'rejected', 1, 'c6', 0, 'agent:scout', '', 5, 'reject', 1, 0, 'info', 't17', 't20', ''),
  (7, 'p7', 'new', 'tool', 'tool:user/seventh', 'Seventh', 'chief_review', 2, 'c7', 0, 'agent:scout', 'all', 6, '', 0, 0, '', 't21', 't24', '');
INSERT INTO issues VALUES
  (1, 'p1', '[Tool Proposal] Pac"er', '', 'closed', 'tool-proposal' || char(10) || 'modify' || char(10) || 'user'),
  (2, 'p3', '[Tool Proposal] Third', 'user', 'open', 'tool-proposal' || char(10) || 'new' || char(10) || 'user'),
  (3, 'p4', '[Agent Proposal] Fourth', 'user', 'open', 'agent-proposal' || char(10) || 'new' || char(10) || 'user'),
  (4, 'p5', '[Tool Proposal] Fifth', 'agent:scout', 'open', 'tool-proposal' || char(10) || 'new' || char(10) || 'user'),
  (5, 'p6', '[Tool Proposal] Sixth', '', 'closed', 'tool-proposal' || char(10) || 'new' || char(10) || 'user'),
  (6, 'p7', '[Tool Proposal] Sixth and a half', 'chief', 'open', 'tool-proposal' || char(10) || 'new' || char(10) || 'user' || char(10) || 'set:all');
INSERT INTO revisions VALUES
  (1, 'p1', 1, '{"baseVersion":1,"definition":{"name":"Pac\"er"},"subject":"tool:user/pacer","type":"modify"}', 'c1', 'agent:scout', 't01', 'seal'),
  (2, 'p2', 1, '{"baseVersion":0,"definition":null,"subject":"tool:project/novel/plot","type":"new"}', 'c2', 'user:ada', 't05', 'seal'),
  (3, 'p3', 1, '{"baseVersion":0,"definition":{"name":"Third"},"subject":"tool:user/third","type":"new"}', 'c3', 'user:ada', 't06', 'seal'),
  (4, 'p4', 1, '{"baseVersion":0,"definition":{"name":"Fourth"},"subject":"agent:user/fourth","type":"new"}', 'c4', 'user:ada', 't09', 'seal'),
  (5, 'p5', 1, '{"baseVersion":0,"definition":{"name":"Fifth"},"subject":"tool:user/fifth","type":"new"}', 'c5', 'agent:scout', 't13', 'seal'),
  (6, 'p6', 1, '{"baseVersion":0,"definition":{"name":"Sixth"},"subject":"tool:user/sixth","type":"new"}', 'c6', 'agent:scout', 't17', 'seal'),
  (7, 'p7', 1, '{"baseVersion":0,"changeSet":"all","definition":{"name":"Sixth and a half"},"subject":"tool:user/seventh","type":"new"}', 'c6', 'agent:scout', 't21', 'seal'),
  (8, 'p7', 2, '{"baseVersion":0,"changeSet":"all","definition":{"name":"Seventh"},"subject":"tool:user/seventh","type":"new"}', 'c7', 'agent:scout', 't24', 'seal');
INSERT INTO assessments VALUES
  (1, 'p1', 1, 'approve', '{"comment":"Good.","findings":[]}', 'seal'),
  (2, 'p3', 1, 'needs_changes', '{"findings":[{"rule":"X1","severity":"info"},{"rule":"X2","severity":"block"},{"rule":"X3","severity":"warn"}],"x":1}', 'seal'),
  (3, 'p4', 1, 'approve', '{"findings":[{"severity":"block"}]}', 'seal'),
  (4, 'p5', 1, 'needs_changes', '{"findings":[{"severity":"warn"}]}', 'seal'),
  (5, 'p6', 1, 'reject', '{"findings":[{"severity":"info"}]}', 'seal'),
  (6, 'p7', 1, 'reject', '{"findings":[{"severity":"block"}]}', 'seal');
INSERT INTO waivers VALUES (1, 'p4', 'seal');
INSERT INTO decisions VALUES
  (1, 'p1', 1, 'tool:user/pacer', 'c1', 'approved', 'user:ada', 2, 'versions:2', 'seal'),
  (2, 'p5', 1, 'tool:user/fifth', 'c5', 'needs_changes', 'user:ada', 0, '', 'seal'),
  (3, 'p6', 1, 'tool:user/sixth', 'c6', 'rejected', 'user:ada', 0, '', 'seal');
INSERT INTO events (seq, id, at, act, proposal, revision, record, prev_hash, hash) VALUES
  (1, 'e1', 't00', 'ship', '', 0, 'versions:1', 'seal', 'seal'), (2, 'e2', 't00', 'ship', '', 0, 'versions:3', 'seal', 'seal'),
  (3, 'e3', 't00', 'ship', '', 0, 'versions:4', 'seal', 'seal'), (4, 'import-1', 't00', 'import', '', 0, '', 'seal', 'seal'),
  (5, 'e5', 't01', 'draft', 'p1', 1, 'revisions:1', 'seal', 'seal'), (6, 'e6', 't02', 'submit', 'p1', 1, '', 'seal', 'seal'),
  (7, 'e7', 't03', 'assess', 'p1', 1, 'assessments:1', 'seal', 'seal'), (8, 'e8', 't04', 'approve', 'p1', 1, 'decisions:1', 'seal', 'seal'),
  (9, 'e9', 't05', 'draft', 'p2', 1, 'revisions:2', 'seal', 'seal'),
  (10, 'e10', 't06', 'draft', 'p3', 1, 'revisions:3', 'seal', 'seal'), (11, 'e11', 't07', 'submit', 'p3', 1, '', 'seal', 'seal'),
  (12, 'e12', 't08', 'assess', 'p3', 1, 'assessments:2', 'seal', 'seal'),
  (13, 'e13', 't09', 'draft', 'p4', 1, 'revisions:4', 'seal', 'seal'), (14, 'e14', 't10', 'submit', 'p4', 1, '', 'seal', 'seal'),
  (15, 'e15', 't11', 'assess', 'p4', 1, 'assessments:3', 'seal', 'seal'), (16, 'e16', 't12', 'waive', 'p4', 1, 'waivers:1', 'seal', 'seal'),
  (17, 'e17', 't13', 'draft', 'p5', 1, 'revisions:5', 'seal', 'seal'), (18, 'e18', 't14', 'submit', 'p5', 1, '', 'seal', 'seal'),
  (19, 'e19', 't15', 'assess', 'p5', 1, 'assessments:4', 'seal', 'seal'), (20, 'e20', 't16', 'needs-changes', 'p5', 1, 'decisions:2', 'seal', 'seal'),
  (21, 'e21', 't17', 'draft', 'p6', 1, 'revisions:6', 'seal', 'seal'), (22, 'e22', 't18', 'submit', 'p6', 1, '', 'seal', 'seal'),
  (23, 'e23', 't19', 'assess', 'p6', 1, 'assessments:5', 'seal', 'seal'), (24, 'e24', 't20', 'reject', 'p6', 1, 'decisions:3', 'seal', 'seal'),
  (25, 'e25', 't21', 'draft', 'p7', 1, 'revisions:7', 'seal', 'seal'), (26, 'e26', 't22', 'submit', 'p7', 1, '', 'seal', 'seal'),
  (27, 'e27', 't23', 'assess', 'p7', 1, 'assessments:6', 'seal', 'seal'), (28, 'e28', 't24', 'revise', 'p7', 2, 'revisions:8', 'seal', 'seal'),
  (29, 'e29', 't25', 'comment', 'p7', 2, '', 'seal', 'seal');
