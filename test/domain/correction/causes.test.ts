import { describe, expect, it } from 'vitest';
import { CAUSE, isCorrectionCause } from '../../../src/domain/correction/causes.ts';

describe('the causes of corrections', () => {
  it.each(Object.values(CAUSE))('a commit of %s is a correction', (cause) => {
    expect(isCorrectionCause(cause)).toBe(true);
  });

  it.each(['document.write', 'endpoint.call', 'record.append', 'constructor'])('a commit of %s is play', (cause) => {
    expect(isCorrectionCause(cause)).toBe(false);
  });
});
