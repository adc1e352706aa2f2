import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DefinitionText, definitionsIn, type ListedKind, meantBy, templateOf } from '../../src/console/words/definition.ts';
import { jsonPlaceAt } from '../../src/console/words/json-place.ts';
import { aroundChanges, linesBeside } from '../../src/console/words/line-diff.ts';
import { jsonInsert, proposalsAt, yamlPlaceAt } from '../../src/console/words/schema-completion.ts';
import { compileItem } from '../../src/domain/definition/source/compile.ts';

describe('definitions as source', () => {
  it('are their authors’ texts, byte for byte, or JSON where they were pushed as data', () => {
    const text = 'id: buy   # mine\r\n';
    const [buy, heal] = definitionsIn('endpoint', [
      { id: 'heal', name: 'Heal', steps: [], seed: '\uE00018446744073709551615' },
      { id: 'buy', sourceFormat: 'yaml', sourcePath: 'buy.endpoint.yml', sourceText: text },
    ]);
    expect(buy).toMatchObject({ format: 'yaml', path: 'buy.endpoint.yml', isAuthored: true, state: 'live' });
    expect(buy?.text.whole).toBe(text);
    expect(heal).toMatchObject({ format: 'json', path: null, isAuthored: false });
    expect(heal?.text.whole).toContain('"seed": 18446744073709551615');
  });

  it('are what next has: staged in the place of live, laid over it where they are data, or removed', () => {
    const found = definitionsIn('endpoint', [
      { id: 'a', name: 'a', method: 'POST', sourceText: 'id: a\n' },
      { id: 'b', name: 'b' },
      { id: 'a', name: 'a', steps: [], revisionTarget: 'next' },
      { id: 'b', name: 'b', revisionTarget: 'next', stagedRemoval: true },
    ]);
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'staged'],
      ['b', 'removed'],
    ]);
    expect(JSON.parse(found[0]?.text.whole ?? '')).toEqual({ id: 'a', name: 'a', method: 'POST', steps: [] });
  });

  it('begin as they are, however little is asked for', () => {
    const rows = Array.from({ length: 20 }, (_, place) => ({
      id: `\n"${place}`,
      no: [],
      none: {},
      deep: [{ at: place }, null, true],
      1: 2.5,
    }));
    const data = [{ rows, big: '\uE00018446744073709551615', text: 'ä' }, 'last'];
    const { whole } = DefinitionText.printed(data);
    expect(whole).toBe(`${JSON.stringify(data, null, 2).replace('"\uE00018446744073709551615"', '18446744073709551615')}\n`);
    for (let length = 0; length <= whole.length; length += 97) {
      const start = DefinitionText.printed(data).start(length);
      expect(start.length > length || start === whole).toBe(true);
      expect(whole.startsWith(start)).toBe(true);
    }
  });

  it.each<ListedKind>(['collection', 'endpoint', 'workflow', 'library', 'query'])('begin with a text that compiles: %s', (kind) => {
    const { text, path } = templateOf(kind, 'mine');
    const compiled = compileItem({ kind, sourceFormat: 'yaml', sourcePath: path ?? '', sourceText: text.whole }, kind);
    expect(compiled).toMatchObject({ ok: true, id: 'mine' });
  });
});

it('a definition that there is not may be another one, by a part of its name or but for a few letters', () => {
  const ids = ['chop-wood', 'sell-wood', 'upgrade-axe', 'nil'].map((id) => ({ id, name: id }));
  const meant = (id: string) => meantBy(id, ids).map((each) => each.id);
  expect(['wood', 'chopwood', 'upgrade-ax', 'nix', 'market'].map(meant)).toEqual([
    ['chop-wood', 'sell-wood'],
    ['chop-wood'],
    ['upgrade-axe'],
    ['nil'],
    [],
  ]);
});

describe('two texts beside one another', () => {
  const shown = (before: string, after: string) =>
    linesBeside(before, after).map(({ left, right, isSame }) => `${left?.text ?? ''}${isSame ? '=' : '|'}${right?.text ?? ''}`);

  it('have the same lines in the same place', () => {
    expect(shown('a\nb\nc\nd', 'a\nx\nc\nd')).toEqual(['a=a', 'b|x', 'c=c', 'd=d']);
    expect(shown('a\nb', 'a\nnew\nb')).toEqual(['a=a', '|new', 'b=b']);
    expect(shown('a\nold\nb', 'a\nb')).toEqual(['a=a', 'old|', 'b=b']);
    expect(shown('', 'a')).toEqual(['|a']);
  });

  it('leave out what is far from a change', () => {
    const lines = Array.from({ length: 20 }, (_, place) => `line ${place}`);
    const around = aroundChanges(linesBeside(lines.join('\n'), lines.join('\n').replace('line 10', 'other')), 1);
    expect(around.map((pair) => pair?.left?.number ?? null)).toEqual([null, 10, 11, 12, null]);
    // What stands for lines left out would take the room of one.
    const few = aroundChanges(linesBeside('a\nb\nc\nd\ne', 'a\nb\nx\nd\ne'), 1);
    expect(few.map((pair) => pair?.left?.number ?? null)).toEqual([1, 2, 3, 4, 5]);
    expect(linesBeside('x\n'.repeat(5000), 'y\n'.repeat(5000))).toHaveLength(5001);
  });
});

describe('completion', () => {
  const schema = JSON.parse(readFileSync('docs/schemas/endpoint.json', 'utf8'));
  const at = (text: string, rest = '') => {
    const place = yamlPlaceAt(text, rest);
    return place === null ? [] : proposalsAt(schema, place).map(({ label }) => label);
  };

  it('knows where it is', () => {
    expect(yamlPlaceAt('input:\n  type: object\n  pro')).toMatchObject({
      path: ['input'],
      member: null,
      word: 'pro',
      beside: { type: 'object' },
    });
    expect(yamlPlaceAt('steps:\n  - id: a\n    ops:\n      - op: s')).toMatchObject({
      path: ['steps', '[]', 'ops', '[]'],
      member: 'op',
      word: 's',
    });
    expect(yamlPlaceAt('steps:\n- id: a\n  ty', '\n  key: x\n- id: b\n')).toMatchObject({
      path: ['steps', '[]'],
      beside: { id: 'a', key: 'x' },
    });
    expect(yamlPlaceAt('body: { ok: tr')).toBeNull();
  });

  it('proposes members that are not there yet, and values', () => {
    expect(at('id: x\nexp')).toContain('exposure');
    expect(at('id: x\nexp')).not.toContain('id');
    expect(at('exposure: ')).toContain('public');
    expect(at('steps:\n  - type: ')).toEqual(expect.arrayContaining(['read', 'write', 'lookup']));
  });

  it('proposes for a step what its type has', () => {
    const members = at('steps:\n  - type: read\n    ');
    expect(members).toContain('collection');
    expect(members).not.toContain('ops');
  });

  /** `|` is where one writes. */
  const inJson = (source: string) => {
    const [text = '', rest = ''] = source.split('|');
    const place = jsonPlaceAt(text, rest);
    return { place, labels: place === null ? [] : proposalsAt(schema, place).map(({ label }) => label) };
  };

  it('knows where it is in JSON that is not whole yet, pretty or on one line', () => {
    expect(inJson('{"input": {"type": "object", "pro|').place).toEqual({
      path: ['input'],
      member: null,
      word: 'pro',
      isQuoted: true,
      beside: { type: 'object' },
    });
    expect(inJson('{\n  "steps": [\n    {"id": "a", "ops": [{ "op": "s|"}], "key": "x"}').place).toMatchObject({
      path: ['steps', '[]', 'ops', '[]'],
      member: 'op',
      word: 's',
    });
    expect(inJson('{"steps": [{"id": "a", "ty|pe": "read", "body": {"id": 1}, "key": "x"}, {"id": "b"}]}').place).toMatchObject({
      path: ['steps', '[]'],
      word: 'ty',
      beside: { id: 'a', body: '', key: 'x' },
    });
    expect(inJson('{"tags": ["a", tr|]}').place).toMatchObject({ path: ['tags'], member: '[]', word: 'tr', isQuoted: false });
    for (const none of ['|', '{"id": "a" |', '{"id" |', '{"id": "a"}|', '[1|', '{"a": [1 |'])
      expect([none, inJson(none).labels]).toEqual([none, []]);
    expect(inJson(`{"id": "${'\\\\"'.repeat(200_000)}", "|`).place).toMatchObject({ path: [], word: '' });
  });

  it('proposes in JSON what it proposes in YAML', () => {
    const pairs = [
      ['id: x\n|', '{"id": "x", "|'],
      ['exposure: |', '{"exposure": |'],
      ['steps:\n  - type: |', '{"steps": [{"type": "|"}]}'],
      ['steps:\n  - type: read\n    |', '{"steps": [{|"type": "read"}]}'],
    ] as const;
    for (const [yaml, json] of pairs) {
      const told = at(yaml.replace('|', ''));
      expect(told.length).toBeGreaterThan(2);
      expect(inJson(json).labels.sort()).toEqual(told.sort());
    }
  });

  it('puts names and texts in quotes that are not there yet', () => {
    const put = (source: string, label: string) => {
      const [text = '', rest = ''] = source.split('|');
      const { place } = inJson(source);
      const found = place === null ? undefined : proposalsAt(schema, place).find((each) => each.label === label);
      if (place === null || found === undefined) return null;
      const { text: put, over } = jsonInsert(place, found, rest);
      return `${text.slice(0, text.length - place.word.length)}${put}${rest.slice(over)}`;
    };
    expect(put('{exp|}', 'exposure')).toBe('{"exposure": }');
    expect(put('{"exp|"}', 'exposure')).toBe('{"exposure": }');
    expect(put('{"exp|osed": "public"}', 'exposure')).toBe('{"exposure": "public"}');
    expect(put('{"exposure": |}', 'public')).toBe('{"exposure": "public"}');
    expect(put('{"exposure": "p|"}', 'public')).toBe('{"exposure": "public"}');
  });
});
