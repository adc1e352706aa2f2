-- A player's save records in a collection, oldest first. An emptied list keeps its row: in a next space it hides the live one.
CREATE TABLE {save_records} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  player text COLLATE "C" NOT NULL,
  records json NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, space, collection, player)
) WITH (fillfactor = 85);
