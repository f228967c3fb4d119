-- These checks compare the full-text index with the texts of proposals.

-- check proposals_text: The text in the search index differs from the text of the proposal.
SELECT 'row ' || coalesce(p.seq, t.rowid) FROM proposals p FULL JOIN proposals_text t ON t.rowid = p.seq
  WHERE t.body IS NOT p.subject || char(10) || p.title || char(10) || p.author || char(10) || p.change_set || char(10, 10);

-- check proposals_text: The search index has an unknown setting.
SELECT k FROM proposals_text_config WHERE (k, v) IS NOT ('version', 4);
