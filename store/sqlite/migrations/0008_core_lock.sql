-- The core lock. It follows the seed, which writes the core tools; from here on no
-- statement touches them, in any layer, under any name.
CREATE TRIGGER core_insert BEFORE INSERT ON core BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER core_update BEFORE UPDATE ON core BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER core_delete BEFORE DELETE ON core BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;

CREATE TRIGGER live_core_insert BEFORE INSERT ON live
WHEN NEW.locked OR NEW.kind = 'tool' AND EXISTS (SELECT 1 FROM core WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER live_core_update BEFORE UPDATE ON live
WHEN OLD.locked OR NEW.locked OR NEW.kind = 'tool' AND EXISTS (SELECT 1 FROM core WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER versions_core_insert BEFORE INSERT ON versions
WHEN NEW.kind = 'tool' AND EXISTS (SELECT 1 FROM core WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER proposals_core_insert BEFORE INSERT ON proposals
WHEN NEW.kind = 'tool' AND EXISTS (SELECT 1 FROM core WHERE id = NEW.subject_id)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
CREATE TRIGGER names_core_insert BEFORE INSERT ON names
WHEN EXISTS (SELECT 1 FROM core WHERE id = NEW.name)
BEGIN SELECT RAISE(ABORT, 'the name of a core tool is taken'); END;
CREATE TRIGGER names_core_update BEFORE UPDATE ON names
WHEN EXISTS (SELECT 1 FROM core WHERE id IN (OLD.name, NEW.name))
BEGIN SELECT RAISE(ABORT, 'the name of a core tool is taken'); END;
CREATE TRIGGER names_core_delete BEFORE DELETE ON names
WHEN EXISTS (SELECT 1 FROM core WHERE id = OLD.name)
BEGIN SELECT RAISE(ABORT, 'core tools are locked'); END;
