import { describe, expect, it } from 'vitest';
import { sampleInput } from '../../../src/domain/test/sample.ts';

describe('a sample input', () => {
  it('fits what is declared', () => {
    const properties = {
      name: { type: 'string', maxLength: 3 },
      title: { type: 'string', minLength: 6 },
      mode: { type: 'string', enum: ['easy', 'hard'] },
      count: { type: 'integer', min: 5, max: 9 },
      debt: { type: 'number', maximum: -2 },
      gold: { type: 'number', default: 7 },
      short: 'boolean',
      any: {},
    };
    expect(sampleInput({ input: { properties } })).toEqual({
      name: 'tes',
      title: 'testte',
      mode: 'easy',
      count: 5,
      debt: -2,
      gold: 7,
      short: true,
      any: null,
    });
  });
});
