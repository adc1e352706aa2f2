import { expect, it } from 'vitest';
import { approvalSentence, isNews, madeLiveSaid, ownAsked, waitingSaid, whyNotApprove } from '../../src/console/words/approval.ts';

const at = '2026-03-01T12:00:00.000Z';
const mara = { kind: 'person', person: 'per_1', label: 'mara' };
const oleg = { kind: 'person', person: 'per_2', label: 'oleg' };
const key = { kind: 'secret', keyId: 'k1', label: 'pipeline' };
const asked = { action: 'promote', phase: 'asked', asked: { by: mara, at }, decided: null, ended: null } as const;
const rollback = { ...asked, action: 'rollback' } as const;
const asMara = { person: 'per_1', mayApprove: true };
const asOleg = { person: 'per_2', mayApprove: true };

it('an approval is told as a sentence: who asked, who decided, and what voided it', () => {
  expect(approvalSentence(asked)).toBe('mara asks for approval.');
  expect(approvalSentence({ ...asked, phase: 'approved', decided: { by: oleg, at } })).toContain('oleg approved exactly this');
  expect(approvalSentence({ ...asked, phase: 'void', ended: { by: key, at, why: 'staged' } })).toBe(
    'What mara asked for is void: key “pipeline” staged something afterwards. It has to be asked for anew.',
  );
  expect(approvalSentence({ ...asked, phase: 'bypassed' })).toContain('Nobody approved this');
});

it('who staged a part of it is told why they do not approve, and so is who asked for what a key staged or for a roll back', () => {
  expect(whyNotApprove(asked, [mara], asMara)).toBe('You staged this, so another person has to approve it.');
  expect(whyNotApprove(asked, [mara, oleg], asMara)).toContain('You staged a part of this');
  expect(whyNotApprove(asked, [oleg], asMara)).toBeNull();
  expect(whyNotApprove(asked, [mara], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [mara, key], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [key], asMara)).toContain('A key staged a part');
  expect(whyNotApprove(rollback, [], asMara)).toContain('You asked for this');
  expect(whyNotApprove(rollback, [], asOleg)).toBeNull();
  expect(whyNotApprove(asked, [mara], { ...asOleg, mayApprove: false })).toContain('Your role does not approve');
});

it('who waits for whom is told to each by what is theirs to do: to approve, to make live, or to wait', () => {
  const approved = { ...rollback, phase: 'approved', decided: { by: oleg, at } } as const;
  const reading = { mayApprove: true, mayPublish: true };
  const [toMara, toOleg] = [
    { person: 'per_1', ...reading },
    { person: 'per_2', ...reading },
  ] as const;
  const said = (...asks: Parameters<typeof waitingSaid>) => {
    const { short, whole, due = 0 } = waitingSaid(...asks) ?? {};
    return short === undefined ? [] : [short, whole, ...(due > 0 ? ['theirs'] : [])];
  };
  expect(said([asked], toOleg)).toEqual(['needs you', 'mara waits for your approval', 'theirs']);
  expect(said([asked], toMara)).toEqual(['you asked', 'You wait for another person’s approval']);
  expect(said([asked, approved], toOleg)[0]).toBe('needs you');
  expect(said([approved], toMara)).toEqual(['approved', 'oleg approved what you asked for: it is not live yet', 'theirs']);
  expect(said([approved], toOleg)[1]).toBe('oleg approved what mara asked for: it is not live yet');
  expect(said([asked], { ...toOleg, mayApprove: false })).toEqual(['asked', 'mara waits for another person’s approval']);
  expect(said([asked, { ...rollback, asked: { by: key, at } }], toOleg)[1]).toBe('mara and key “pipeline” wait for your approval');
  expect([said([], toMara), said([approved], { ...toMara, mayPublish: false })]).toEqual([[], []]);
});

it('whoever asked is told of the newest: that it waits, that it is undone, and what somebody else did with it, but not what they did themselves', () => {
  const used = { ...asked, phase: 'used', decided: { by: oleg, at }, ended: { by: oleg, at, why: 'used' } } as const;
  const declined = { ...asked, phase: 'declined', decided: { by: oleg, at } } as const;
  const voided = (by: typeof mara | typeof key) => ({ ...asked, phase: 'void', ended: { by, at, why: 'staged' } }) as const;
  for (const each of [asked, declined, used, voided(key)])
    expect([ownAsked([each], 'per_1'), ownAsked([each], 'per_2')]).toEqual([each, null]);
  expect(ownAsked([asked, used], 'per_1')).toBe(asked);
  for (const own of [voided(mara), { ...used, ended: { ...used.ended, by: mara } }, { ...asked, phase: 'bypassed' } as const])
    expect(ownAsked([own], 'per_1')).toBeNull();
  const after = (hours: number) => Date.parse(at) + hours * 3_600_000;
  expect([isNews(asked, after(23)), isNews(declined, after(25)), isNews(used, after(25))]).toEqual([true, false, false]);
  expect(madeLiveSaid(used)).toBe('oleg approved it and made it live');
  expect(madeLiveSaid({ ...used, action: 'rollback' })).toBe('oleg approved the undo and did it');
  expect(madeLiveSaid({ ...used, action: 'rollback', ended: { ...used.ended, by: key } })).toBe(
    'oleg approved the undo, and key “pipeline” did it',
  );
  expect(madeLiveSaid({ ...used, ended: { ...used.ended, by: key } })).toBe('oleg approved it, and key “pipeline” made it live');
});
