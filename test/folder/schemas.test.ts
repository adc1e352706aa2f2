import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SOURCE_KINDS } from '../../src/domain/kinds.ts';
import { schemaLine, writeSchemas } from '../../src/folder/schemas.ts';
import { filesOfTemplate } from '../../src/folder/templates.ts';

/** The schema line of files, as an editor's YAML language server reads it: a path from the file on. */

const dir = mkdtempSync(join(tmpdir(), 'schemas-'));
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: {} });

beforeAll(async () => {
  writeFileSync(join(dir, 'savepoint.json'), '{}');
  await writeSchemas(dir, { release: '1', anew: false });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The schema that an editor finds for a text at a path of the folder. */
function schemaFor(path: string, text: string): object {
  const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
  return JSON.parse(readFileSync(resolve(dirname(join(dir, path)), named), 'utf8'));
}

describe('the schema line', () => {
  const templates = (['game', 'browser'] as const).flatMap((template) => [...filesOfTemplate(template, dir)]);
  const files = templates.filter(([path]) => path.endsWith('.yml'));

  test.each(files)('of %s names a JSON Schema that accepts the file and no misspelt member', (path, text) => {
    const check = ajv.compile(schemaFor(path, text));
    const value = parse(text);
    check(value);
    expect(check.errors ?? []).toEqual([]);
    // Values and rules leave room for members of other tools.
    expect(check('kind' in value ? { ...value, misspelt: true } : 'a text')).toBe(false);
  });

  test.each(SOURCE_KINDS)('of a file in a subfolder names it, too: %s', (kind) => {
    const path = `deep/er/x.${kind}.yml`;
    expect(() => ajv.compile(schemaFor(path, schemaLine(path, kind)))).not.toThrow();
  });
});

describe('the schemas of a folder', () => {
  const path = join(dir, '.savepoint/schemas/endpoint.json');

  test('are those of the release, in a folder that git ignores', async () => {
    expect(readFileSync(join(dir, '.savepoint/.gitignore'), 'utf8')).toBe('*\n');
    writeFileSync(path, '{}');
    await writeSchemas(dir, { release: '1', anew: false });
    expect(readFileSync(path, 'utf8')).toBe('{}');
    await writeSchemas(dir, { release: '2', anew: false });
    expect(JSON.parse(readFileSync(path, 'utf8')).type).toBe('object');
  });

  test('make editors offer what authors write, and not what tools add', async () => {
    await writeSchemas(dir, { release: '3', anew: false });
    const { properties } = JSON.parse(readFileSync(path, 'utf8'));
    expect(properties.versionHash).toMatchObject({ doNotSuggest: true });
    expect(properties.steps).not.toHaveProperty('doNotSuggest');
  });

  test('are written only into folders of games', async () => {
    rmSync(join(dir, '.savepoint'), { recursive: true });
    rmSync(join(dir, 'savepoint.json'));
    await writeSchemas(dir, { release: '1', anew: true });
    expect(existsSync(join(dir, '.savepoint'))).toBe(false);
  });
});
