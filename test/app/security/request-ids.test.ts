import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/app/project/commit.ts';
import type { Project } from '../../../src/app/project/project.ts';
import { consuming } from '../../../src/app/security/request-ids.ts';
import { projectSettings } from '../../../src/domain/project/settings.ts';
import { forgottenAfter } from '../../../src/domain/security/request-id.ts';
import { requestSubject } from '../../../src/domain/subjects.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { codeOf, countIn, Table, written } from '../support.ts';

/** Time of the virtual machine's clock. */
const ID = '1700000000_abcdef';
const SETTINGS = projectSettings({});
let commands = 0;

/** A sealed call that adds one, is refused, or writes nothing. */
function sealed(does: 'adds' | 'refuses' | 'reads' = 'adds', identity = '7'): Command<number> {
  commands += 1;
  return {
    commandId: `sealed-${commands}`,
    cause: 'sealed',
    actor: { kind: 'public' },
    decide: (ctx, now) =>
      consuming(ctx, now, SETTINGS, { type: 'platform', identity, requestId: ID }, () => {
        const n = countIn(ctx, 'a');
        if (does === 'refuses') throw new Refusal(409, 'TOO_POOR', 'no');
        return { events: does === 'adds' ? [written('a', n + 1)] : [], answer: n };
      }),
  };
}

async function call(table: Table, project: Project, command: Command<number>): Promise<number> {
  return (await table.passing(project.execute(command))).answer;
}

describe('a request id', () => {
  it('is used up in the same commit as the writes of its call', async () => {
    const table = new Table();
    const project = await table.open();
    expect(await call(table, project, sealed())).toBe(0);
    expect(table.log.appends.map(({ events }) => events)).toEqual([2]);
    expect(await codeOf(call(table, project, sealed()))).toBe('ENCRYPTED_REQUEST_REPLAY_DETECTED');
    expect(await call(table, project, sealed('reads', '8'))).toBe(1);
  });

  it.each([
    ['refuses', 'TOO_POOR'],
    ['reads', 'stored'],
  ] as const)('is used up also by a call that %s', async (does, outcome) => {
    const table = new Table();
    const project = await table.open();
    expect(await codeOf(call(table, project, sealed(does)))).toBe(outcome);
    expect(await codeOf(call(table, project, sealed()))).toBe('ENCRYPTED_REQUEST_REPLAY_DETECTED');
    expect(await table.stored()).toHaveLength(1);
  });

  it('counts once among calls at the same moment, and on two nodes', async () => {
    const table = new Table();
    const [one, two] = [await table.open(), await table.open()];
    const outcomes = await table.passing(Promise.all([one, one, two, two].map(async (project) => codeOf(project.execute(sealed())))));
    expect(outcomes.filter((code) => code === 'stored')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'ENCRYPTED_REQUEST_REPLAY_DETECTED')).toHaveLength(3);
    expect(await table.stored()).toHaveLength(2);
  });

  it('stays used after a lost answer and after a restart', async () => {
    const table = new Table();
    const project = await table.open();
    let lost = false;
    table.log.fate = () => {
      if (lost) return 'fine';
      lost = true;
      return 'unanswered';
    };
    expect(await call(table, project, sealed())).toBe(0);
    await table.reader.project();
    expect(await codeOf(call(table, await table.open(), sealed()))).toBe('ENCRYPTED_REQUEST_REPLAY_DETECTED');
    expect((await table.reader.load('table', [requestSubject('platform', '7', ID)])).states).toEqual([{ until: forgottenAfter(ID) }]);
  });
});
