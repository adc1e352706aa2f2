import { z } from 'zod';
import { CATALOGUE, type Code } from '../kernel/errors.ts';
import { type KeyRules, type Need, provesItself, takesSecretKey } from './credentials.ts';
import { codesByStatus, Failure } from './errors.ts';
import { aliasesOf, BASES } from './families.ts';
import { takesReason } from './looking.ts';
import { COMMON_HEADERS, IDEMPOTENCY_KEY, PATH_PARAMETERS, PROOF_HEADER, REPLAY_HEADER, REVEAL } from './parameters.ts';
import { alsoNamed } from './resources/member.ts';
import { type Described, type Route, TAGS } from './route.ts';
import { routes } from './routes/index.ts';

/** The contract as an OpenAPI 3.1 document, for tools that generate clients, pages and requests. */

type Node = Record<string, unknown>;

export interface OpenApi extends Node {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Components & { readonly schemas: Readonly<Record<string, Node>>; readonly securitySchemes: Node };
}

/** Parts that several operations share. */
type Components = Readonly<Record<'parameters' | 'headers' | 'responses', Readonly<Record<string, Node>>>>;

interface Operation extends Node {
  readonly operationId: string;
}

const DESCRIPTION = `An event-sourced game backend.

- **Answers** are JSON objects, unless an endpoint's author says otherwise. Every refusal has the form \`Refusal\`.
- **Paths** match in any letter case; ids in them do not. \`HEAD\` answers as \`GET\`, but runs no endpoint. With the setting \`V1_ROUTES=all\`
  everything under \`/v3\` is also served under \`/v1\`.
- **Keys**: a secret key that was given permissions needs those that the operation names.
- **Names**: some members have two spellings. Both are accepted; the setting \`WIRE_NAMES\` says which one answers use. This page shows the neutral ones.`;

/** Every operation that is not hidden, under the path of its family. `x-aliases` lists other prefixes with the same answers. */
export function openApi(version: string): OpenApi {
  const parts = { schemas: new Schemas(), shared: new Shared() };
  // The first pass finds parts that are used more than once; the second refers to them.
  for (const _ of ['headers', 'responses']) {
    pathsOf(parts);
    parts.shared.seen();
  }
  const paths = pathsOf(parts);
  return {
    openapi: '3.1.0',
    info: { title: 'Savepoint', version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        publicKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-public-key',
          description: "A game's key; what it may do, collections and endpoints say",
        },
        publicKeyQuery: { type: 'apiKey', in: 'query', name: 'apiKey', description: 'The same in the query' },
        secretKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'A key of the studio and its servers' },
      },
      ...parts.shared.all(),
      schemas: parts.schemas.all(),
    },
  };
}

interface Parts {
  readonly schemas: Schemas;
  readonly shared: Shared;
}

function pathsOf(parts: Parts): OpenApi['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    if (route.hidden === true) continue;
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, parts) };
  }
  return paths;
}

function pathOf({ family, path }: Route): string {
  return (BASES[family] + path).replace(/:(\w+)/g, '{$1}');
}

function operationOf(route: Route, parts: Parts): Operation {
  const { schemas } = parts;
  const { id, tag, summary, body, example } = route;
  const aliases = [...aliasesOf(route.family), ...(route.also ?? []).map((family) => BASES[family])];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describedBy(route),
    security: securityOf(route.keys),
    parameters: parametersOf(route, parts),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              'application/json': {
                schema: schemas.input(body.schema),
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: responsesOf(route, parts),
    ...(aliases.length === 0 ? {} : { 'x-aliases': aliases }),
  };
}

function describedBy({ description, keys }: Route): Node {
  const needs = keys?.needs;
  const who = keys?.onlyPeople ? 'For people alone, who need' : 'A secret key needs';
  const permissions = needs ? [`${who} ${neededBy(needs)}.`] : [];
  const text = [...(description === undefined ? [] : [description]), ...permissions].join('\n\n');
  return text === '' ? {} : { description: text };
}

function neededBy({ level, scopes, or }: Need): string {
  const own = `\`${level}\` on ${scopes.map((scope) => `\`${scope}\``).join(', ')}`;
  return or === undefined ? own : `${own}, or ${neededBy(or)}`;
}

function securityOf(keys: KeyRules | null): readonly Node[] {
  if (keys === null) return [];
  if (takesSecretKey(keys)) return [{ secretKey: [] }];
  return [{ publicKey: [] }, { publicKeyQuery: [] }, { secretKey: [] }];
}

function parametersOf(route: Route, { schemas, shared }: Parts): readonly Node[] {
  const { example, anyQuery } = route;
  const parameter = (carrier: string, [name, schema]: [string, z.ZodType], required: boolean, shown?: string) => {
    const { description, ...json } = schemas.input(schema);
    return shared.refer('parameters', name, {
      name,
      in: carrier,
      ...(description === undefined ? {} : { description }),
      ...(required ? { required } : {}),
      schema: json,
      ...(shown === undefined ? {} : { example: typed(shown, json) }),
    });
  };
  const path = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema = route.params?.[name] ?? PATH_PARAMETERS[name] ?? z.string();
    return parameter('path', [name, schema], true, example?.params?.[name]);
  });
  const query = entries(route.query).map((one) => parameter('query', one, false, example?.query?.[one[0]]));
  const any = anyQuery === undefined ? [] : [{ name: 'input', in: 'query', style: 'form', explode: true, schema: schemas.input(anyQuery) }];
  const headers = { ...route.headers, ...(route.idempotent ? IDEMPOTENCY_KEY : {}), ...(takesReason(route) ? REVEAL : {}) };
  return [...path, ...query, ...any, ...entries(headers).map((one) => parameter('header', one, false, example?.headers?.[one[0]]))];
}

/** Converts an example of a path or query parameter from text to its type. */
function typed(text: string, { type }: Node): unknown {
  if (type === 'array') return [text];
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function entries(described: Described | undefined): [string, z.ZodType][] {
  return Object.entries(described ?? {});
}

function responsesOf(route: Route, parts: Parts): Node {
  const { schemas } = parts;
  const { answers, texts, noJson, authored, example } = route;
  const headers = headersOf({ ...COMMON_HEADERS, ...route.answerHeaders, ...headersOfAny(route) }, parts);
  const failures = codesByStatus(route);
  const responses: Record<string, Node> = {};
  for (const [text, schema] of Object.entries(answers)) {
    const status = Number(text);
    const { description, ...json } = schemas.output(schema);
    const shown = (example?.status ?? 200) === status && example?.answer !== undefined ? { example: example.answer } : {};
    const others = status === 200 ? Object.entries(texts ?? {}).map(([type]) => [type, { schema: { type: 'string' } }]) : [];
    responses[text] = {
      description: description ?? schemas.describe(schema),
      headers,
      content: { ...(noJson === true ? {} : { 'application/json': { schema: json, ...shown } }), ...Object.fromEntries(others) },
    };
  }
  for (const [status, codes] of failures) {
    // Health and readiness have a 503 body of their own.
    if (responses[status] === undefined) responses[status] = failureOf(route, status, codes, parts);
  }
  if (authored === true) {
    responses['default'] = {
      description: 'Whatever else the author of the endpoint answers with',
      headers,
      content: { 'application/json': { schema: {} } },
    };
  }
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b)));
}

/** An author may answer with any status, and so with one that refusals have. */
const AUTHORED = { description: 'What the author of the endpoint answers with under this status' };

/** Headers that refusals of a route may carry as well as its answers. */
function headersOfAny({ keys, idempotent, answerHeaders }: Route): Described {
  const isNamed = keys !== null && !provesItself(keys) && !takesSecretKey(keys);
  const publish = answerHeaders?.['x-ns-publish'];
  return {
    ...(publish === undefined ? {} : { 'x-ns-publish': publish }),
    ...(idempotent ? REPLAY_HEADER : {}),
    ...(isNamed ? PROOF_HEADER : {}),
  };
}

function failureOf(route: Route, status: number, codes: readonly Code[], parts: Parts): Node {
  const known = { type: 'object', properties: { error: { type: 'object', properties: { code: { type: 'string', enum: codes } } } } };
  const wait =
    status === 429 || status === 503 ? { 'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } } } : {};
  const refused = { allOf: [parts.schemas.output(Failure), known] };
  return parts.shared.refer('responses', `Refused${status}`, {
    description: codes.map((code) => `\`${code}\`: ${CATALOGUE[code][1]}`).join('\n\n'),
    headers: { ...headersOf({ ...COMMON_HEADERS, ...headersOfAny(route) }, parts), ...wait },
    content: { 'application/json': { schema: route.authored === true ? { anyOf: [refused, AUTHORED] } : refused } },
  });
}

function headersOf(described: Described, { schemas, shared }: Parts): Node {
  return Object.fromEntries(
    entries(described).map(([name, schema]) => {
      const { description, ...json } = schemas.output(schema);
      return [name, shared.refer('headers', name, { ...(description === undefined ? {} : { description }), schema: json })];
    }),
  );
}

/** Parts that are used more than once, each stored once. */
class Shared {
  #uses = new Map<string, number>();
  #seen: ReadonlyMap<string, number> = new Map();
  readonly #placed = new Map<string, { readonly kind: keyof Components; readonly name: string; readonly node: Node }>();

  /** Marks everything so far as seen. */
  seen(): void {
    this.#seen = this.#uses;
    this.#uses = new Map();
  }

  /** Returns the part itself, or a reference to it. Numbers different parts of the same name. */
  refer(kind: keyof Components, name: string, node: Node): Node {
    const key = `${kind} ${name} ${JSON.stringify(node)}`;
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
    if ((this.#seen.get(key) ?? 0) < 2) return node;
    const placed = this.#placed.get(key) ?? { kind, name: this.#free(kind, name), node };
    this.#placed.set(key, placed);
    return { $ref: `#/components/${kind}/${placed.name}` };
  }

  all(): Components {
    const of = (kind: keyof Components) =>
      Object.fromEntries([...this.#placed.values()].filter((placed) => placed.kind === kind).map(({ name, node }) => [name, node]));
    return { parameters: of('parameters'), headers: of('headers'), responses: of('responses') };
  }

  #free(kind: keyof Components, name: string): string {
    const taken = [...this.#placed.values()].filter((placed) => placed.kind === kind && placed.name.replace(/_\d+$/, '') === name).length;
    return taken === 0 ? name : `${name}_${taken + 1}`;
  }
}

/** Schemas as JSON Schema. Schemas with a name are collected and referred to. */
class Schemas {
  readonly #named = new Map<string, Node>();
  readonly #parts = new Map<string, string>();
  readonly #made = { input: new Map<z.ZodType, Node>(), output: new Map<z.ZodType, Node>() };

  all(): Readonly<Record<string, Node>> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => a.localeCompare(b)));
  }

  /** The schema of a request. */
  input(schema: z.ZodType): Node {
    return this.#once(schema, 'input');
  }

  /** The schema of an answer. Later versions of the server may add members, so clients must accept unknown ones. */
  output(schema: z.ZodType): Node {
    return this.#once(schema, 'output');
  }

  describe(schema: z.ZodType): string {
    return schema.description ?? 'The answer';
  }

  #once(schema: z.ZodType, io: 'input' | 'output'): Node {
    const made = this.#made[io].get(schema) ?? this.#json(schema, io);
    this.#made[io].set(schema, made);
    return made;
  }

  #json(schema: z.ZodType, io: 'input' | 'output'): Node {
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: open(io) }) as Node & {
      $defs?: Record<string, Node>;
    };
    const names = new Map(Object.entries($defs).map(([name, definition]) => [name, this.#nameOf(name, definition)]));
    for (const [name, definition] of Object.entries($defs)) this.#define(names.get(name) ?? name, definition, names);
    const { id, ...own } = json;
    if (typeof id !== 'string') return referring(own, names) as Node;
    this.#define(id, own, names);
    return { $ref: `#/components/schemas/${id}` };
  }

  /** The name of a part. A part without a name of its own, such as a recursive one, gets a number, the same wherever it is used. */
  #nameOf(name: string, definition: Node): string {
    if (!UNNAMED.test(name)) return name;
    const key = JSON.stringify(definition).replace(/__schema\d+/g, '');
    const known = this.#parts.get(key) ?? `Part${this.#parts.size + 1}`;
    this.#parts.set(key, known);
    return known;
  }

  #define(name: string, { id: _, ...definition }: Node, names: ReadonlyMap<string, string>): void {
    const found = referring(definition, names) as Node;
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(found)) throw new Error(`Two schemas are called ${name}`);
    this.#named.set(name, found);
  }
}

const UNNAMED = /^__schema\d+$/;
const REFERENCE = /^#\/\$defs\//;

/** Allows unknown members in answers. */
function open(io: 'input' | 'output') {
  return ({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodTypes; readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    const also = alsoNamed.get(zodSchema);
    if (also !== undefined) jsonSchema.patternProperties = { [also.pattern]: {} };
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
}

/** Turns references to definitions beside a schema into references to the components of the document. */
function referring(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => referring(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === '$ref' && typeof item === 'string' && REFERENCE.test(item)
        ? `#/components/schemas/${names.get(item.slice(8)) ?? item.slice(8)}`
        : referring(item, names),
    ]),
  );
}
