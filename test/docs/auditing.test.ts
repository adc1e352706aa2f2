import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSIONS } from '../../src/domain/events.ts';
import { TELEMETRY_VERSIONS } from '../../src/domain/telemetry/events.ts';
import { TOTALS_VERSIONS } from '../../src/domain/telemetry/totals.ts';

/** docs/auditing.md against the events that it describes. */

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/auditing.md'), 'utf8');
const rows = [...PAGE.matchAll(/^\| `([\w.]+)` \| (\d+) \|(?: (.*) \|)?$/gm)];

test('every type of event stands there, with the version that is written', () => {
  const listed = Object.fromEntries(rows.map(([, type, version]) => [type, Number(version)]));
  expect(listed).toEqual({ ...SCHEMA_VERSIONS, ...TELEMETRY_VERSIONS, ...TOTALS_VERSIONS });
});

describe('its members', () => {
  const declared = membersOfEvents();

  test.each(Object.keys(SCHEMA_VERSIONS))('of %s stand there', (type) => {
    const text = rows.find(([, name]) => name === type)?.[3] ?? '';
    const named = new Set([...text.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+\??)`/g)].map(([, name]) => name));
    expect([...named].sort()).toEqual([...(declared.get(type) ?? [])].sort());
  });
});

test('each script has at most 40 lines', () => {
  for (const [, script = ''] of PAGE.matchAll(/^```(?:js|sql)\n([\s\S]*?)^```$/gm)) {
    expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  }
});

/** Type of event → members of its data, as src/domain/events.ts declares them, with `?` where they may be missing. */
function membersOfEvents(): ReadonlyMap<string, readonly string[]> {
  const source = readFileSync(join(ROOT, 'src/domain/events.ts'), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const [, table = ''] = /export interface EventData \{\n([\s\S]*?)\n\}/.exec(source) ?? [];
  return new Map([...table.matchAll(/'([\w.]+)': (\w+);/g)].map(([, type = '', name = '']) => [type, membersOf(source, name)]));
}

function membersOf(source: string, name: string): readonly string[] {
  const [, body] = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source) ?? [];
  if (body !== undefined) return declaredIn(body);
  const [, alias = ''] = new RegExp(`export type ${name} =([\\s\\S]*?);\\n\\n`).exec(source) ?? [];
  const [, whole = '', without] = /^ Omit<(\w+), '(\w+)'>$/.exec(alias) ?? [];
  if (without !== undefined) return membersOf(source, whole).filter((member) => member !== without);
  if (/^ \w+$/.test(alias)) return membersOf(source, alias.trim());
  const [, base] = /^ (\w+) & /.exec(alias) ?? [];
  const choices = alias.split('\n  | ').slice(1).map(declaredIn);
  const all = [...(base === undefined ? [] : membersOf(source, base)), ...(choices.length === 0 ? declaredIn(alias) : choices.flat())];
  return [...new Set(all)].map((member) => (choices.some((choice) => !choice.includes(member)) ? `${member}?` : member));
}

function declaredIn(body: string): readonly string[] {
  return [...body.matchAll(/readonly (\w+\??):/g)].map(([, member = '']) => member);
}
