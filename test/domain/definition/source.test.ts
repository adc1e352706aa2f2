import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileItem } from '../../../src/domain/definition/source/compile.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { ExactNumber } from '../../../src/kernel/json.ts';

function source(sourceText: string, extra: JsonObject = {}): JsonObject {
  return {
    kind: 'endpoint',
    id: 'shop',
    authoringMode: 'source',
    sourceFormat: 'yaml',
    sourcePath: 'shop.endpoint.yml',
    sourceText,
    ...extra,
  };
}

function compiled(item: Json, kind: 'endpoint' | 'collection' | 'workflow' | 'query' | 'test' = 'endpoint') {
  const result = compileItem(item, kind);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result;
}

function failure(item: Json, kind: 'endpoint' | 'collection' = 'endpoint') {
  const result = compileItem(item, kind);
  if (result.ok) throw new Error(`compiled: ${JSON.stringify(result.definition)}`);
  return result;
}

describe('YAML values (YAML 1.2 core; quoted stays text)', () => {
  const table: [yaml: string, value: Json][] = [
    ['true', true],
    ['"true"', 'true'],
    ["'5'", '5'],
    ['5', 5],
    ['-0.5', -0.5],
    ['0x1f', 31],
    ['1e3', 1000],
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['~', null],
    ['null', null],
    ['', null],
    ['2024-01-01', '2024-01-01'],
    ['012', 12],
    ['1_000', '1_000'],
    ['12:30', '12:30'],
    ['[1, two, {a: b}]', [1, 'two', { a: 'b' }]],
    ['76561198000000001', new ExactNumber('76561198000000001')],
    ['18446744073709551615', new ExactNumber('18446744073709551615')],
    ['"{{input.id}}"', '{{input.id}}'],
    ['|\n  line one\n  line two\n', 'line one\nline two\n'],
    ['>-\n  folded\n  text\n', 'folded text'],
  ];
  it.each(table)('v: %s', (yaml, value) => {
    expect(compiled(source(`v: ${yaml}`)).definition['v']).toEqual(value);
  });

  it.each([
    ['false: a', 'false'],
    ['true: a', 'true'],
    ['1: a', '1'],
    ['1.0: a', '1.0'],
    ['null: a', 'null'],
    ['"quoted": a', 'quoted'],
  ])('map keys are always texts: %s', (yaml, key) => {
    expect(compiled(source(`routes:\n  ${yaml}`)).definition['routes']).toEqual({ [key]: 'a' });
  });
});

describe('YAML that is refused', () => {
  it.each([
    ['anchor', 'a: &x 1', 'UNSUPPORTED_YAML_ANCHOR', 1],
    ['alias', 'a: 1\nb: *x', 'UNSUPPORTED_YAML_ALIAS', 2],
    ['alias of an anchor', 'a: &x 1\nb: *x', 'UNSUPPORTED_YAML_ANCHOR', 1],
    ['tag', 'a: !foo 1', 'UNSUPPORTED_YAML_TAG', 1],
    ['core tag', 'a: !!str 5', 'UNSUPPORTED_YAML_TAG', 1],
    ['tag on a map', 'ok: 1\na: !!map {b: 1}', 'UNSUPPORTED_YAML_TAG', 2],
    ['anchor on a key', '&x a: 1', 'UNSUPPORTED_YAML_ANCHOR', 1],
    ['merge key', 'a: {b: 1}\nc:\n  <<: {d: 1}', 'INVALID_YAML', 3],
    ['duplicate key', 'a: 1\nb: 2\na: 3', 'INVALID_YAML', 3],
    ['duplicate key by text', '1: a\n"1": b', 'INVALID_YAML', 2],
    ['list as key', '? [a]\n: 1', 'INVALID_YAML', 1],
    ['infinity', 'a: .inf', 'INVALID_YAML', 1],
    ['syntax', 'a: [1, 2\nb: 3', 'INVALID_YAML', 2],
    ['tab', 'a:\n\tb: 1', 'INVALID_YAML', 2],
    ['two documents', 'a: 1\n---\nb: 2', 'INVALID_YAML', 2],
  ])('%s', (_, yaml, code, line) => {
    const result = failure(source(yaml));
    expect(result).toMatchObject({ code, line, resourceId: 'shop' });
    expect(result.message).toContain(`line ${line}, column `);
  });

  it('another YAML version', () => {
    expect(failure(source('%YAML 1.1\n---\na: yes')).code).toBe('INVALID_YAML');
    expect(failure(source('a: 1\n---\nb: 2')).message).toContain('one document');
  });

  it('nesting beyond 64 levels, however it is written', () => {
    for (const text of [
      `a: ${'['.repeat(70)}${']'.repeat(70)}`,
      `a: ${'['.repeat(20_000)}`,
      `${'- '.repeat(5000)}x`,
      `{${'a: b: '.repeat(16_000)}}`,
    ]) {
      expect(failure(source(text)).code).toBe('INVALID_YAML');
    }
    expect(compiled(source(`a: ${'['.repeat(60)}${']'.repeat(60)}`)).ok).toBe(true);
  });

  it('a text above 1 MiB', () => {
    expect(failure(source(`a: "${'x'.repeat(1024 * 1024)}"`)).code).toBe('BUDGET_EXCEEDED');
  });

  it('U+0000, which Postgres cannot store', () => {
    expect(failure(source('a: "\\0"')).message).toContain('U+0000');
  });

  it('a map of many keys compiles in linear time', () => {
    const text = Array.from({ length: 8000 }, (_, i) => `k${i}: 1`).join('\n');
    expect(Object.keys(compiled(source(text)).definition).length).toBeGreaterThan(8000);
  });
});

describe('compileItem', () => {
  it('1: without a source text the item is the definition, wrapper members and all', () => {
    const item = { id: 'a', slug: 'a', definition: { x: 1 } };
    expect(compiled(item)).toMatchObject({ definition: item, id: 'a' });
  });

  it('2: a blank source text is an error', () => {
    expect(failure(source(' \n')).message).toBe('Source text is empty.');
  });

  it('3: the format is sourceFormat, else the extension of sourcePath, else YAML', () => {
    expect(failure(source('a: 1', { sourceFormat: 'json' })).message).toContain('Invalid JSON source');
    const { sourceFormat: _, ...item } = source('{"a": 1}', { sourcePath: 'endpoints/shop.json' });
    expect(compiled(item).definition['a']).toBe(1);
    expect(failure({ ...item, sourceText: 'a: 1' }).code).toBe('INVALID_JSON');
    const { sourcePath: __, ...bare } = item;
    expect(compiled({ ...bare, sourceText: 'a: 1' }).definition['a']).toBe(1);
  });

  it('4: the root must be a mapping', () => {
    for (const text of ['- 1', 'text', '5', '# only a comment']) expect(failure(source(text)).code).toBe('INVALID_SOURCE_OBJECT');
  });

  it('5: a declared kind must be the expected one, in any letter case', () => {
    expect(failure(source('kind: collection')).message).toBe("Source kind 'collection' does not match 'endpoint'.");
    expect(failure(source('resourceKind: workflow')).code).toBe('INVALID_RESOURCE_KIND');
    expect(compiled(source('kind: Endpoint')).ok).toBe(true);
  });

  it.each([
    ['flat', 'name: outer\nmethod: GET', { name: 'outer', method: 'GET' }],
    ['kind wrapper: inner wins', 'name: outer\nendpoint:\n  name: inner\n  method: GET', { name: 'inner', method: 'GET' }],
    ['resource wrapper: inner wins', 'name: outer\nresource:\n  name: inner', { name: 'inner' }],
    ['definition wrapper: outer wins', 'name: outer\ndefinition:\n  name: inner\n  method: GET', { name: 'outer', method: 'GET' }],
    ['kind before resource', 'endpoint: {name: e}\nresource: {name: r}', { name: 'e' }],
    ['resource before definition', 'resource: {name: r}\ndefinition: {name: d}', { name: 'r' }],
  ])('6: unwraps %s', (_, yaml, expected) => {
    const { definition } = compiled(source(yaml));
    expect(definition).toMatchObject(expected);
    for (const wrapper of ['endpoint', 'resource', 'definition']) expect(definition).not.toHaveProperty(wrapper);
  });

  it('7: kind is dropped and the authoring members stay as they were sent', () => {
    const text = 'kind: endpoint\r\nsourceVersion: 1   # kept\r\nname: x\r\n\r\n';
    const { definition } = compiled(source(text, { sourceVersion: '1' }));
    expect(definition).not.toHaveProperty('kind');
    expect(definition).toMatchObject({
      authoringMode: 'source',
      sourceFormat: 'yaml',
      sourcePath: 'shop.endpoint.yml',
      sourceVersion: '1',
    });
    expect(definition['sourceText']).toBe(text);
  });

  it('8: the id is the source’s, else the item’s, else the file’s name', () => {
    expect(compiled(source('id: own')).id).toBe('own');
    expect(compiled(source('id: own')).warnings.map((warning) => warning.code)).toContain('FILE_ID_MISMATCH');
    expect(compiled(source('a: 1')).id).toBe('shop');
    for (const path of ['wf/heal.workflow.yml', 'heal.yaml', 'heal.json', 'C:\\x\\heal.workflow.yaml']) {
      const { definition } = compiled({ sourceText: '{"a": 1}', sourcePath: path }, 'workflow');
      expect(definition).toMatchObject({ id: 'heal', name: 'heal' });
    }
    expect(compiled({ sourceText: 'a: 1' }).id).toBeNull();
    expect(compiled(source('id: 42')).definition).toMatchObject({ id: '42', slug: '42' });
  });

  it('8: slug or name follow the id where they are missing', () => {
    expect(compiled(source('a: 1')).definition).toMatchObject({ id: 'shop', slug: 'shop' });
    expect(compiled({ ...source('a: 1'), kind: 'collection' }, 'collection').definition).toMatchObject({ id: 'shop', name: 'shop' });
    expect(compiled({ ...source('a: 1'), kind: 'test' }, 'test').definition).not.toHaveProperty('name');
  });

  it('needs neither sourceVersion nor kind, and says so in warnings', () => {
    expect(compiled(source('slug: x\nmethod: GET\nsteps: []')).warnings.map((warning) => warning.code)).toEqual([
      'MISSING_FIELD',
      'MISSING_FIELD',
    ]);
    expect(compiled(source('sourceVersion: "1"\nkind: endpoint')).warnings).toEqual([]);
    expect(failure(source('sourceVersion: 2')).code).toBe('UNSUPPORTED_SOURCE_VERSION');
  });

  it('refuses reserved words as names, at any depth, and as step ids, but not in data', () => {
    expect(failure(source('schema:\n  __proto__: {type: string}')).code).toBe('VALIDATION_FAILED');
    expect(failure({ id: 'a', steps: [{ constructor: 1 }] }).message).toContain("'constructor'");
    expect(failure({ id: 'a', steps: [{ id: 'prototype', type: 'read' }] }).message).toContain('step');
    expect(failure({ id: 'constructor' }).code).toBe('VALIDATION_FAILED');
    expect(compiled({ id: 'a', tables: [{ rows: [{ id: 'constructor' }] }] }).ok).toBe(true);
  });

  it('keeps words that make the editor believe the route is missing out of its messages', () => {
    const text = `${'\n'.repeat(403)}a: *x`;
    const result = failure(source(text));
    expect(result.line).toBe(404);
    expect(result.message).not.toContain('404');
    expect(failure(source('kind: "not found"')).message).not.toContain('not found');
  });

  it('an element that is no object is an error', () => {
    for (const item of [null, 1, 'x', [], true]) expect(failure(item).message).toBe('Each endpoint must be an object.');
  });
});

describe('compileItem on anything', () => {
  const word = fc.constantFrom(
    'a',
    ': ',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '&x ',
    '*x',
    '!t ',
    '#',
    ',',
    '? ',
    '<<',
    '0',
    'é',
    '\t',
    '%',
    '@',
    '---\n',
  );

  it('random source texts give a value, never an exception', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('yaml', 'json'), (sourceText, sourceFormat) => {
        const result = compileItem(source(sourceText, { sourceFormat }), 'endpoint');
        expect(typeof result.ok).toBe('boolean');
      }),
      { numRuns: 1500 },
    );
  });

  it('random JSON gives a value, never an exception', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    const member = fc.constantFrom('id', 'kind', 'sourceText', 'sourcePath', 'sourceFormat', 'definition', 'slug', 'steps', 'name');
    const item = fc.oneof(json, fc.dictionary(member, json));
    fc.assert(
      fc.property(item, fc.constantFrom('endpoint', 'collection', 'workflow', 'query', 'test'), (value, kind) => {
        expect(typeof compileItem(value, kind).ok).toBe('boolean');
      }),
      { numRuns: 1500 },
    );
  });

  it('a JSON source compiles to what JSON.parse makes of it', () => {
    const plain = fc.jsonValue().filter((value) => !/__proto__|constructor|prototype|-0/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(plain, (data) => {
        const { definition } = compiled(source(JSON.stringify({ data }), { sourceFormat: 'json' }));
        expect(definition['data']).toEqual(JSON.parse(JSON.stringify(data)));
      }),
      { numRuns: 200 },
    );
  });
});
