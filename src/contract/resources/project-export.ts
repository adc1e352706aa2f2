import { z } from 'zod';
import { anyText, json, list, number, optional, type Written } from './member.ts';

/** A row of a JSON project export, of any table: each has some of these members. */
const exportRow = z.looseObject({
  definition_json: optional(json, 'The definition, document or page; it may be a text that holds it.'),
  updated_at_unix_ms: optional(number, 'When it was written last.'),
  collection_id: optional(anyText, 'Id of a collection.'),
  endpoint_id: optional(anyText, 'Id of an endpoint.'),
  workflow_id: optional(anyText, 'Id of a workflow.'),
  library_id: optional(anyText, 'Id of a library.'),
  query_id: optional(anyText, 'Id of a query.'),
  record_key: optional(anyText, 'Key of a document.'),
  record_id: optional(anyText, 'The same, of a global collection.'),
  platform_id: optional(anyText, 'The player whose save records these are.'),
  records: optional(list, 'Save records: `{recordId, recordName}`.'),
  api_key: optional(anyText, 'A public key, or what is shown of a secret one.'),
  label: optional(anyText, 'What people call the key.'),
  type: optional(z.enum(['public', 'secret']), 'What kind of key it is.'),
  hash: optional(anyText, 'SHA-256 of a secret key, in hexadecimal.'),
  permissions: optional(json, 'What the key may do.'),
  enabled: optional(z.boolean(), 'Whether the key is good.', { default: true }),
});

export type ExportRow = Written<typeof exportRow>;

const savedRecord = z.looseObject({
  recordId: optional(anyText, 'Its id.'),
  recordName: optional(anyText, 'What the player calls it.'),
});

/** One of the `records` of a row. */
export type ExportedRecord = Written<typeof savedRecord>;
