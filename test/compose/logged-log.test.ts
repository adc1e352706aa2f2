import { expect, test } from 'vitest';
import { loggedLog } from '../../src/compose/log.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { AppendTooLarge, LogUnavailable } from '../../src/log/port.ts';

const EVENT = { id: '6f0c6f6e-8a9c-4d5b-9a39-2f7a0f4b7a11', type: 'told', data: '{}', metadata: '{}' };

/** A log whose next append goes as `fails` says, and what is logged about it. */
function told() {
  const lines: string[] = [];
  const note = (fields: object | string, text = String(fields)) =>
    lines.push(`${text} ${'reason' in Object(fields) ? Object(fields).reason : ''}`.trim());
  const memory = createMemoryLog();
  const state: { fails: Error | null } = { fails: null };
  const append = async (...given: Parameters<typeof memory.append>) => {
    if (state.fails !== null) throw state.fails;
    return memory.append(...given);
  };
  return { log: loggedLog({ ...memory, append }, { error: note, info: note }), lines, state };
}

test('a log that takes no appends reports the reason once, and when it takes them again', async () => {
  const { log, lines, state } = told();
  const append = () => log.append('project-told', 'any', [EVENT]);
  expect(await append()).toMatchObject({ ok: true });
  expect(lines).toEqual([]);
  state.fails = new LogUnavailable('No space left on device');
  for (let time = 0; time < 3; time += 1) await expect(append()).rejects.toThrow(LogUnavailable);
  state.fails = null;
  await append();
  await append();
  expect(lines).toEqual(['the log takes no appends; trying again No space left on device', 'the log takes appends again']);
});

test('an append that is too large is no failure of the log', async () => {
  const { log, lines, state } = told();
  state.fails = new AppendTooLarge('1 MiB');
  await expect(log.append('project-told', 'any', [EVENT])).rejects.toThrow(AppendTooLarge);
  expect(lines).toEqual([]);
});
