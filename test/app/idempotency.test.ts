import { describe, expect, test } from 'vitest';
import { type AnswerCodec, idempotent } from '../../src/app/idempotency.ts';
import type { Command } from '../../src/app/project/commit.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { Refusal, refusal } from '../../src/kernel/errors.ts';
import { codeOf, countIn, Table, written } from './support.ts';

const NUMBER: AnswerCodec<number> = { encode: (answer) => answer, decode: Number };
const RULES = { forMs: 86_400_000, bytes: 1000 };
let commands = 0;

interface Asked {
  readonly key?: string;
  /** What the decision does besides adding. */
  readonly does?: 'adds' | 'refuses' | 'fails' | 'reads' | 'says much' | 'asks much';
  readonly request?: string;
}

/** Adds one and answers the result, once per key. */
function adding({ key = 'k', does = 'adds', request = 'r' }: Asked = {}): Command<number> {
  commands += 1;
  const claim = { space: 'live', scope: '@key', caller: 'p', key, request } as const;
  const rules = does.endsWith('much') ? { ...RULES, bytes: 3 } : RULES;
  return {
    commandId: `once-${commands}`,
    cause: 'once',
    actor: { kind: 'public' },
    decide: (ctx, now) =>
      idempotent({ ctx, now, keyed: { claim, requestId: 'req', keepsRefusals: true, rules } }, NUMBER, () => {
        const n = countIn(ctx, 'a');
        if (does === 'refuses') throw new Refusal(409, 'TOO_POOR', 'no');
        if (does === 'fails') throw refusal('BUSY');
        const events: DomainEvent[] = does === 'reads' || does === 'asks much' ? [] : [written('a', n + 1)];
        return { events, answer: n + 1 };
      }),
  };
}

const READ: Command<number> = {
  commandId: 'look',
  cause: 'look',
  actor: { kind: 'public' },
  decide: (ctx) => ({ events: [], answer: countIn(ctx, 'a') }),
};

describe('a request with an idempotency key', () => {
  test('is stored with its answer in one append', async () => {
    const table = new Table();
    const project = await table.open();
    expect(await table.passing(project.execute(adding()))).toEqual({ answer: 1, revision: 1 });
    expect(table.log.appends.map(({ events }) => events)).toEqual([2]);
  });

  test('that is sent again, at once or later, on this node or another, happens once and gets its first answer', async () => {
    const table = new Table();
    const [one, two] = [await table.open(), await table.open()];
    const outcomes = await table.passing(Promise.all([one, one, two, two].map((project) => project.execute(adding()))));
    expect(outcomes.map(({ answer }) => answer)).toEqual([1, 1, 1, 1]);
    expect(outcomes.filter(({ replayed }) => replayed)).toHaveLength(3);
    await table.reader.project();
    expect(await table.passing((await table.open()).execute(adding()))).toMatchObject({ answer: 1, replayed: true });
    expect(await table.stored()).toHaveLength(2);
  });

  test('whose answer was lost happens exactly once when it is sent again', async () => {
    for (const fate of ['unanswered', 'lost'] as const) {
      const table = new Table();
      const project = await table.open();
      table.log.fate = () => fate;
      const first = codeOf(table.passing(project.execute(adding())));
      expect(await first).toBe('OUTCOME_UNKNOWN');
      table.log.fate = () => 'fine';
      // The node is gone, with all that it knew.
      const other = await table.open();
      expect((await table.passing(other.execute(adding()))).answer).toBe(1);
      expect((await table.passing(other.execute(READ))).answer).toBe(1);
    }
  });

  test('that waits for the first beyond its deadline gets OUTCOME_UNKNOWN, never that nothing was written', async () => {
    const table = new Table();
    const project = await table.open();
    table.log.fate = () => 'unanswered';
    const [first, second] = [codeOf(project.execute(adding())), codeOf(project.execute(adding()))];
    expect(await table.passing(Promise.all([first, second]))).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  });

  test('with another body is refused, also while the first is under way', async () => {
    const table = new Table();
    const project = await table.open();
    const both = [project.execute(adding()), project.execute(adding({ request: 'other' }))];
    expect(await table.passing(Promise.all(both.map(codeOf)))).toEqual(['stored', 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('that was refused is refused again, whatever would be decided now', async () => {
    const table = new Table();
    const project = await table.open();
    expect(await codeOf(table.passing(project.execute(adding({ does: 'refuses' }))))).toBe('TOO_POOR');
    const again = await table.passing(project.execute(adding()).catch((error: unknown) => error));
    expect(again).toMatchObject({ code: 'TOO_POOR', extra: { requestId: 'req' } });
    expect(await table.stored()).toHaveLength(1);
  });

  test('that failed with a server error is decided anew', async () => {
    const table = new Table();
    const project = await table.open();
    expect(await codeOf(table.passing(project.execute(adding({ does: 'fails' }))))).toBe('BUSY');
    expect((await table.passing(project.execute(adding()))).answer).toBe(1);
  });

  test('that changes nothing gets its first answer again, too', async () => {
    const table = new Table();
    const project = await table.open();
    expect((await table.passing(project.execute(adding({ does: 'reads' })))).answer).toBe(1);
    await table.passing(project.execute(adding({ key: 'other' })));
    expect((await table.passing(project.execute(adding({ does: 'reads' })))).answer).toBe(1);
  });

  test('whose answer is too large to be kept changes nothing; a read is answered', async () => {
    const table = new Table();
    const project = await table.open();
    expect(await codeOf(table.passing(project.execute(adding({ does: 'says much' }))))).toBe('ANSWER_TOO_LARGE');
    expect(await codeOf(table.passing(project.execute(adding({ does: 'asks much' }))))).toBe('stored');
    expect(await table.stored()).toEqual([]);
  });
});
