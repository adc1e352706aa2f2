import { describe, expect, it } from 'vitest';
import { actorOf, isSelected } from '../../../src/cli/log/selection.ts';

const event = (type: string, data: object, actor: object, recordedAt = 1000) => ({
  id: 'e',
  stream: 'project-p',
  revision: 1,
  position: 1n,
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify({ actor, recordedAt }),
});
const written = event('document.written', { key: '42_slot1', $player: '7' }, { kind: 'secret', keyId: 'k1', endpoint: 'buy' });

describe('which events log tail shows', () => {
  it('takes a player as who acted, as whose document it is, and in no other sense', () => {
    for (const player of ['42', '7', '42_slot1']) expect(isSelected(written, { player }), player).toBe(true);
    for (const player of ['4', 'k1', 'slot1', 'buy']) expect(isSelected(written, { player }), player).toBe(false);
    expect(isSelected(event('record.created', { player: '42' }, {}), { player: '42' })).toBe(true);
    const posted = event('ledger.posted', { postings: [{ player: '41' }, { player: '42' }] }, {});
    expect(['41', '42', '43'].map((player) => isSelected(posted, { player }))).toEqual([true, true, false]);
  });

  it('takes a type or its family, and times from one on and before another', () => {
    for (const type of ['document', 'document.written']) expect(isSelected(written, { type })).toBe(true);
    for (const type of ['doc', 'written', 'document.deleted']) expect(isSelected(written, { type })).toBe(false);
    expect([{ from: 1000 }, { from: 1001 }, { to: 1000 }, { to: 1001 }].map((range) => isSelected(written, range))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('says who acted, and nothing of what another program wrote', () => {
    expect(actorOf(written)).toBe('secret key k1, player 7, endpoint buy');
    expect(actorOf(event('x', {}, { kind: 'operator' }))).toBe('operator');
    expect(actorOf({ ...written, metadata: 'no JSON' })).toBe('');
    expect(isSelected({ ...written, metadata: 'no JSON' }, { from: 1 })).toBe(false);
  });
});
