import { z } from 'zod';
import { EVENTS } from '../../src/contract/events/index.ts';
import { LOOKING_EVENTS } from '../../src/contract/events/looking.ts';
import { PEOPLE_EVENTS } from '../../src/contract/events/people.ts';
import type { EventContract } from '../../src/contract/events/shape.ts';
import { TELEMETRY_EVENTS, TOTALS_EVENTS } from '../../src/contract/events/telemetry.ts';
import type { GeneratedFile } from './file.ts';

/** Makes the catalogue of the log's events, for auditors, and a JSON Schema of each. */

type Schema = z.core.JSONSchema.BaseSchema;

const ALL: Readonly<Record<string, EventContract>> = {
  ...EVENTS,
  ...PEOPLE_EVENTS,
  ...LOOKING_EVENTS,
  ...TELEMETRY_EVENTS,
  ...TOTALS_EVENTS,
};

/** The JSON Schema (draft 2020-12) of an event's data, as its current version is stored. */
function eventSchema({ data }: Pick<EventContract, 'data'>): Schema {
  return z.toJSONSchema(data, { target: 'draft-2020-12', unrepresentable: 'any' });
}

export const EVENT_SCHEMAS: readonly GeneratedFile[] = Object.entries(ALL).map(([type, contract]) => ({
  file: `docs/schemas/events/${type}.json`,
  render: () => {
    const { $schema, ...schema } = eventSchema(contract);
    return `${JSON.stringify({ $schema, title: `${type}, version ${contract.version}`, description: contract.description, ...schema }, null, 1)}\n`;
  },
}));

export const EVENTS_PAGE: GeneratedFile = { file: 'docs/events.md', render: eventsPage };

const HEAD = `<!-- Made of src/contract/events by \`npm run docs\`: change it there. -->

# Events

Every type of event in the log, with the data of the version that is written now. [auditing.md](auditing.md) says what streams there are, what
metadata and the chain are, and how to read them. \`docs/schemas/events\` has a JSON Schema of each type.

*Privacy* says whose a text is: it names a *player*; it is *personal*, which is a person's own or tells of one; or neither. What names a person or is
personal stands in data alone, which can be forgotten (\`data.redacted\`); metadata, types, ids and names of streams hold nothing of it. Besides these
members, \`$player\` (player: who caused the event), in a commit's first event \`$request\` (personal: the id that the caller gave its request), and \`$salt\`
end the data of every event of a project's stream.

`;

function eventsPage(): string {
  return (
    HEAD +
    Object.entries(ALL)
      .map(([type, contract]) => sectionOf(type, contract))
      .join('\n')
  );
}

function sectionOf(type: string, contract: EventContract): string {
  const rows = rowsOf(eventSchema(contract), '', true);
  const table = rows.length === 0 ? 'No members.\n' : `| Member | | Privacy | |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  return `## \`${type}\`\n\nVersion ${contract.version}. ${contract.description}\n\n${table}`;
}

/** A row for each member at any depth. A choice of forms gives the rows of each, a row that is there already once. */
function rowsOf(schema: Schema, prefix: string, isRequired: boolean): readonly string[] {
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms !== undefined && prefix === '') return [...new Set(forms.flatMap((form) => rowsOf(form as Schema, prefix, isRequired)))];
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const isThere = isRequired && (schema.required ?? []).includes(name);
    const said = member as Schema;
    const row = `| \`${path}${isThere ? '' : '?'}\` | ${typeOf(said)} | ${privaciesOf(said).join(', ')} | ${said.description ?? ''} |`;
    return [row, ...rowsOf(itemOf(said), `${path}${said.type === 'array' ? '[].' : '.'}`, true)];
  });
}

/** What a member's own members are described by: the item of a list, the object of one that may be null. */
function itemOf(schema: Schema): Schema {
  const object = [schema, schema.items as Schema | undefined, ...((schema.anyOf ?? []) as readonly Schema[])];
  return object.find((each) => each?.properties !== undefined) ?? {};
}

function typeOf(schema: Schema): string {
  const forms = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (forms !== undefined) return [...new Set(forms.map(typeOf))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.prefixItems !== undefined) return `[${(schema.prefixItems as readonly Schema[]).map(typeOf).join(', ')}]`;
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Schema)}`;
  return schema.type === undefined ? 'any JSON' : String(schema.type);
}

/** The marks of the texts that a member holds itself, without those that have a row of their own. */
function privaciesOf(schema: Schema): readonly string[] {
  const own = typeof schema['privacy'] === 'string' ? [schema['privacy']] : [];
  const parts = [
    ...((schema.anyOf ?? schema.oneOf ?? []) as readonly Schema[]),
    ...((schema.prefixItems ?? []) as readonly Schema[]),
    ...(schema.items === undefined ? [] : [schema.items as Schema]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties as Schema] : []),
  ];
  return [...new Set([...own, ...parts.filter((part) => part.properties === undefined).flatMap(privaciesOf)])];
}
