-- The outcomes of requests with an Idempotency-Key.
CREATE TABLE {idempotency} (
  project text COLLATE "C" NOT NULL,
  space text COLLATE "C" NOT NULL,
  -- The scope within which the key names one request: @ and the id of an API key, or the collection that was appended to.
  scope text COLLATE "C" NOT NULL,
  caller text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- SHA-256 (hex) of the request.
  request text NOT NULL,
  -- The answer or the refusal, as events hold it.
  outcome text NOT NULL,
  -- The outcome's expiry, unix ms.
  until bigint NOT NULL,
  revision bigint NOT NULL,
  PRIMARY KEY (project, space, scope, caller, key)
);

CREATE INDEX ON {idempotency} (project, until);
