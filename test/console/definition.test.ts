import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitionsIn, type ListedKind, templateOf } from '../../src/console/words/definition.ts';
import { aroundChanges, linesBeside } from '../../src/console/words/line-diff.ts';
import { proposalsAt, yamlPlaceAt } from '../../src/console/words/schema-completion.ts';
import { compileItem } from '../../src/domain/definition/source/compile.ts';

describe('definitions as source', () => {
  it('are their authors’ texts, byte for byte, or JSON where they were pushed as data', () => {
    const text = 'id: buy   # mine\r\n';
    const [buy, heal] = definitionsIn('endpoint', [
      { id: 'heal', name: 'Heal', steps: [], seed: '\uE00018446744073709551615' },
      { id: 'buy', sourceFormat: 'yaml', sourcePath: 'buy.endpoint.yml', sourceText: text },
    ]);
    expect(buy).toMatchObject({ text, format: 'yaml', path: 'buy.endpoint.yml', isAuthored: true, state: 'live' });
    expect(heal).toMatchObject({ format: 'json', path: null, isAuthored: false });
    expect(heal?.text).toContain('"seed": 18446744073709551615');
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
    expect(JSON.parse(found[0]?.text ?? '')).toEqual({ id: 'a', name: 'a', method: 'POST', steps: [] });
  });

  it.each<ListedKind>(['collection', 'endpoint', 'workflow', 'library', 'query'])('begin with a text that compiles: %s', (kind) => {
    const { text, path } = templateOf(kind, 'mine');
    const compiled = compileItem({ kind, sourceFormat: 'yaml', sourcePath: path ?? '', sourceText: text }, kind);
    expect(compiled).toMatchObject({ ok: true, id: 'mine' });
  });
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
});
