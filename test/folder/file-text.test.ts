import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/domain/definition/source/yaml.ts';
import { fileText } from '../../src/folder/file-text.ts';
import { parseJson } from '../../src/kernel/json.ts';

describe('the text of a pulled definition', () => {
  it.each(['9007199254740993', '-123456789012345678901234567890', '0.12345678901234567891', '1e400', '1E-400', '0', '-0.5', '1.0'])(
    'keeps the number %s, as YAML and as JSON',
    (number) => {
      const value = parseJson(`{"max":${number}}`);
      expect(parseYaml(String(fileText(value, 'yaml')))).toEqual({ ok: true, value });
      expect(parseJson(String(fileText(value, 'json')))).toEqual(value);
    },
  );

  it('is none in YAML where YAML would say something else', () => {
    expect(fileText({ '<<': 1 }, 'yaml')).toBeNull();
    expect(fileText({ '<<': '\ud800' }, 'json')).toBe('{\n  "<<": "\\ud800"\n}\n');
  });
});
