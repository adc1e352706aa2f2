import { z } from 'zod';
import { acceptMembers } from '../domain/wire-names.ts';
import { isObject, type Json } from '../kernel/json.ts';
import type { MakeRefusal } from './body.ts';

/** Parses with a schema of the contract, and says in one sentence what does not fit: which member, and what it must be. */

/** A body, whose names may have either spelling. Throws what `refuse` makes. */
export function parsedBody(schema: z.ZodType, body: Json, refuse: MakeRefusal): unknown {
  if (!isObject(body)) throw refuse('The body must be a JSON object');
  return parsed(schema, neutral(schema, body), '', refuse);
}

/** A value under a name. Throws what `refuse` makes. */
export function parsed(schema: z.ZodType, value: unknown, name: string, refuse: MakeRefusal): unknown {
  const { success, data, error } = schema.safeParse(value, { error: expected });
  if (success) return data;
  throw refuse(faultIn(error.issues, name === '' ? [] : [name]));
}

/** The members that the schema has under their neutral names. What it leaves open belongs to whoever wrote it, and stays. */
function neutral(schema: unknown, value: Json): Json {
  if (schema instanceof z.ZodUnion) return schema.options.reduce((each: Json, option) => neutral(option, each), value);
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  const { shape } = schema;
  return Object.fromEntries(Object.entries(acceptMembers(value)).map(([name, item]) => [name, neutral(shape[name], item)]));
}

type Issue = z.core.$ZodIssue;

/** A name that there is not comes first: it often is the misspelt name of a member that is missing. */
function faultIn(issues: readonly Issue[], at: readonly PropertyKey[]): string {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) return 'The request does not fit';
  const meant = issue.code === 'invalid_union' ? optionMeant(issue.errors) : undefined;
  if (meant !== undefined) return faultIn(meant, [...at, ...issue.path]);
  const path = [...at, ...issue.path].map(String).join('.');
  if (issue.code === 'unrecognized_keys') return `${path === '' ? 'The body' : `\`${path}\``} has no member ${issue.message}`;
  return `${path === '' ? 'The body' : `\`${path}\``} must be ${issue.message}`;
}

/** What is wrong with the one option that has all sent members; `undefined`: none alone has. Then the choice says what it takes. */
function optionMeant(options: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const meant = options.filter((issues) => issues.every(({ path }) => path.length > 0));
  return meant.length === 1 ? meant[0] : undefined;
}

/** What must stand there, in words. A schema that says it itself comes before this. */
const expected: z.core.$ZodErrorMap = (issue) => {
  const { inst } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return `\`${issue.keys[0]}\`${onlyOf(inst)}`;
    case 'invalid_value':
      return issue.values.map(String).join(' or ');
    case 'too_small':
      if (issue.origin === 'array') return `a list of at least ${issue.minimum}`;
      return issue.origin === 'string' ? 'a text that is not empty' : `a whole number from ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' ? `a list of at most ${issue.maximum}` : OTHER;
    case 'invalid_type':
      return inst instanceof z.ZodNumber ? numberIn(inst) : (TYPES[issue.expected] ?? OTHER);
    default:
      return OTHER;
  }
};

const OTHER = 'as the reference of the API says';
const TYPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  string: 'a text',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'a list',
};

function numberIn({ minValue }: z.ZodNumber): string {
  return minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number from ${minValue}`;
}

function onlyOf(inst: unknown): string {
  const names = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  return names.length === 0 ? '' : `, only ${names.join(', ')}`;
}
