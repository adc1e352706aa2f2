import { expect, test } from 'vitest';
import { operationOf } from '../../src/cli/remote/arguments.ts';
import { stringifyJson } from '../../src/kernel/json.ts';

test('a change on the command line adds and subtracts numbers exactly as they are written', () => {
  const value = (word: string) => stringifyJson(operationOf(word)['value'] ?? null);
  expect(value('gold+=18446744073709551615')).toBe('18446744073709551615');
  expect(value('gold-=18446744073709551615')).toBe('-18446744073709551615');
  expect(value('gold-=0.1')).toBe('-0.1');
  expect(value('gold-=-5')).toBe('5');
  expect(() => operationOf('gold+=1e400')).toThrow('needs a number');
});
