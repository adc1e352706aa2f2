import { expect, it } from 'vitest';
import { approvalSentence, waitingSaid, whyNotApprove } from '../../src/console/words/approval.ts';

const at = '2026-03-01T12:00:00.000Z';
const mara = { kind: 'person', person: 'per_1', label: 'mara' };
const oleg = { kind: 'person', person: 'per_2', label: 'oleg' };
const key = { kind: 'secret', keyId: 'k1', label: 'pipeline' };
const asked = { action: 'promote', phase: 'asked', asked: { by: mara, at }, decided: null, ended: null } as const;
const rollback = { ...asked, action: 'rollback' } as const;
const asMara = { person: 'per_1', mayApprove: true };
const asOleg = { person: 'per_2', mayApprove: true };

it('an approval is told as a sentence: who asked, who decided, and what voided it', () => {
  expect(approvalSentence(asked)).toBe('mara asks for a second person’s approval.');
  expect(approvalSentence({ ...asked, phase: 'approved', decided: { by: oleg, at } })).toContain('oleg approved exactly this');
  expect(approvalSentence({ ...asked, phase: 'void', ended: { by: key, at, why: 'staged' } })).toBe(
    'What mara asked for is void: key “pipeline” staged something afterwards. It has to be asked for anew.',
  );
  expect(approvalSentence({ ...asked, phase: 'bypassed' })).toContain('Nobody approved this');
});

it('who staged a part of it is told why they do not approve, and so is who asked for what a key staged or for a roll back', () => {
  expect(whyNotApprove(asked, [mara], asMara)).toContain('You staged a part');
  expect(whyNotApprove(asked, [oleg], asMara)).toBeNull();
  expect(whyNotApprove(asked, [mara], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [mara, key], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [key], asMara)).toContain('A key staged a part');
  expect(whyNotApprove(rollback, [], asMara)).toContain('You asked for this');
  expect(whyNotApprove(rollback, [], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [mara], { ...asOleg, mayApprove: false })).toContain('Your role does not approve');
});

it('what waits is told to each by what is theirs to do: to approve, to make live, or to wait', () => {
  const approved = { ...rollback, phase: 'approved' } as const;
  const [toMara, toOleg] = [asMara, asOleg].map((reader) => ({ ...reader, mayPublish: true }));
  if (toMara === undefined || toOleg === undefined) throw new Error('nobody');
  const said = (...asks: Parameters<typeof waitingSaid>) => waitingSaid(...asks)?.short ?? null;
  expect([said([asked], toMara), said([asked], toOleg)]).toEqual(['1 asked', '1 for you']);
  expect(waitingSaid([asked], toOleg)?.whole).toBe('1 to approve');
  expect(said([asked, approved], toOleg)).toBe('1 for you');
  expect(said([approved], toMara)).toBe('1 ready');
  expect(said([asked], { ...toOleg, mayApprove: false })).toBe('1 asked');
  expect([said([], toMara), said([approved], { ...toMara, mayPublish: false })]).toEqual([null, null]);
});
