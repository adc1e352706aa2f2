import { z } from 'zod';
import { absent, count, event, hash, list, members, plainObject, plainText } from './shape.ts';

/** Events of a project: its settings, keys, package, definitions and pages. */

export const DEFINITION_KINDS = [
  ...(['collection', 'endpoint', 'workflow', 'library', 'query', 'game-values', 'rate-limit-rules', 'tests'] as const),
] as const;

export const publishTarget = z.enum(['live', 'next']);
export const keyKind = z.enum(['public', 'secret']);

export const permissions = z
  .record(plainText, plainText)
  .readonly()
  .nullable()
  .meta({ description: 'Scope → letters of `rwx`, or `none`; null: everything' });

export const definitionChange = members({
  kind: z.enum(DEFINITION_KINDS),
  id: plainText.meta({ description: '`*` of the single documents: game values, rules, tests' }),
  hash: hash.nullable().meta({ description: 'Of its stored JSON text; null: it is deleted' }),
});

const changes = list(definitionChange);
const generation = count.meta({ description: 'Of the data of `next`' });
const setHash = hash.meta({ description: 'Content hash of the whole set afterwards' });
const why = {
  message: absent(plainText, 'Why, in the words of who did it'),
  ticket: absent(plainText, 'Of the support desk'),
} as const;
const slug = plainText;
const title = plainText;
const statusLevel = absent(plainText, 'How the game shows it');

export const pageContent = z.discriminatedUnion('pageType', [
  members({ pageType: z.literal('markdown'), contentMd: plainText }),
  members({ pageType: z.literal('keyvalue'), kvData: plainObject }),
]);

const pageSaved = z.discriminatedUnion('pageType', [
  members({ slug, title, pageType: z.literal('markdown'), contentMd: plainText, statusLevel }),
  members({ slug, title, pageType: z.literal('keyvalue'), kvData: plainObject, statusLevel }),
]);

export const PROJECT_EVENTS = {
  'project.created': event('A project begins.', members({ projectId: plainText, name: plainText, ...why })),
  'project.deleted': event('What came before it is gone from every table; a project of the same id may begin again.', members({ ...why })),
  'log.foreign': event(
    'Another program wrote this event: it carries no seal, changes nothing, and the chain passes over it. A copy of the log puts it there by this name.',
    members({}),
  ),
  'log.redacted': event('Stands for an event whose data were replaced by their commitment. It is read so, and never stored.', members({})),
  'data.redacted': event(
    'The data of these events may be replaced by their commitments. A redaction that no event of this type allows is a broken proof.',
    members({ revisions: list(count), reason: absent(plainText, 'Why') }),
  ),
  'settings.changed': event(
    'Settings, and the name.',
    members({ changes: plainObject.meta({ description: 'Members laid over the settings' }), ...why }),
  ),
  'key.issued': event(
    'A key is made.',
    members({
      keyId: plainText,
      kind: keyKind,
      label: plainText,
      hash: hash.meta({ description: 'SHA-256 of the key' }),
      display: plainText.meta({ description: 'The key itself for a public one, else a display form' }),
      permissions,
      ...why,
    }),
  ),
  'key.changed': event(
    'A key is switched, or permitted something else.',
    members({
      keyId: plainText,
      enabled: absent(z.boolean(), 'Whether it is taken'),
      permissions: absent(permissions, 'What it may do'),
      ...why,
    }),
  ),
  'key.revoked': event('A key is taken back.', members({ keyId: plainText, ...why })),
  'package.synced': event(
    'What an editor told of the game’s package.',
    members({
      changes: plainObject.meta({
        description: 'Members laid over the package; a `currentRevisionId` among them starts the grace clock anew',
      }),
    }),
  ),
  'source.stored': event(
    'A piece of a definition’s text. A publish refers to the whole by its hash, so storing it twice is harmless.',
    members({ hash: hash.meta({ description: 'SHA-256 of the whole text' }), part: count, parts: z.int().min(1), text: plainText }),
  ),
  'definitions.published': event('Definitions are put and deleted.', members({ target: publishTarget, changes, hash: setHash, ...why })),
  'definitions.promoted': event(
    '`next` becomes live and is empty afterwards.',
    members({
      changes,
      hash: setHash,
      generation,
      ...why,
      unseen: absent(z.array(plainText), 'Ids of collections of which it was not looked whether documents fit personal fields'),
    }),
  ),
  'definitions.rolledBack': event(
    'Live becomes what it was; `next` stays.',
    members({
      changes,
      hash: setHash,
      generation,
      to: z.int().meta({ description: 'Revision of the publish that live shows again; −1: before any' }),
      ...why,
    }),
  ),
  'definitions.nextRenewed': event('The data of `next` begins anew, and the definitions stay.', members({ generation, hash: setHash })),
  'page.saved': event('A page as it is afterwards.', pageSaved),
  'page.removed': event('A page is gone.', members({ slug })),
} as const;
