import { expect, test } from 'vitest';
import type { Reading } from '../../../src/app/live/reading.ts';
import type { LiveEvent, Room } from '../../../src/app/live/subscriber.ts';
import { sessionSubject } from '../../../src/domain/subjects.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { RoundRobin } from '../../../src/kernel/round-robin.ts';
import { increment, numberOf, THING } from '../support.ts';
import { streamsOf, subscriberOf } from './support.ts';

/** What comes exactly while something of the same stream is under way. */

const TOPIC = 'documents/things/a';

const readingOf = (name: string): Reading => ({
  ...{ name, subjects: [THING('a')], everyMs: 0 },
  read: async () => ({ text: '1', comparable: '1', revision: null, stale: false }),
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test.each(['the first', 'a later'])('a session that is revoked during %s look at its stream ends the stream', async (which) => {
  const { table, project, streams } = await streamsOf(1_000);
  const [looked, goOn] = [gate(), gate()];
  let isRevoked = false;
  let looks = 0;
  const subscriber = subscriberOf(streams, [TOPIC], readingOf, async () => {
    if (isRevoked) throw new Refusal(401, 'AUTH_SESSION_INVALID', 'revoked');
    looks += 1;
    if (looks === (which === 'the first' ? 1 : 2)) {
      looked.open();
      await goOn.opened;
    }
    return { session: { family: 'f', expiresAt: Number.POSITIVE_INFINITY } };
  });
  let isOver = false;
  const start = () =>
    subscriber.start({
      roomFor: () => 'now',
      send: () => undefined,
      end: () => {
        isOver = true;
      },
    });
  const begun = subscriber.begin();
  if (which === 'a later') {
    await table.passing(begun);
    start();
    void subscriber.recheck();
  }
  await looked.opened;
  isRevoked = true;
  const revoked = { type: 'session.revoked', data: { family: 'f', sessionIds: ['f'] } } as const;
  await table.passing(
    project.execute({
      ...{ commandId: 'c', cause: 'revoke', actor: { kind: 'public' } },
      decide(ctx) {
        ctx.read(sessionSubject('f'));
        return { events: [revoked], answer: null };
      },
    }),
  );
  goOn.open();
  if (which === 'the first') {
    await table.passing(begun);
    start();
  }
  await table.clock.run(table.clock.now + 1_000);
  expect(isOver).toBe(true);
});

test('a dropped value that is read again while the value is handed out to others reaches whoever asked for it', async () => {
  const handing = gate();
  let isBusy = false;
  // The second client of a round waits for its turn.
  const sharing = () => {
    let turn = 0;
    return () => {
      turn += 1;
      return isBusy && turn === 2 ? handing.opened : null;
    };
  };
  const { table, project, memory, streams } = await streamsOf(10_000, { roundRobin: { sharing } as unknown as RoundRobin });
  const read = async () => {
    const text = String(numberOf((await project.read(THING('a'))).state));
    return { text, comparable: text, revision: null, stale: false };
  };
  const sent: LiveEvent[] = [];
  let room: Room = 'later';
  const [slow, quick] = [1, 2].map(() => subscriberOf(streams, [TOPIC], (name) => ({ ...readingOf(name), read })));
  await table.passing(slow?.begin());
  await table.passing(quick?.begin());
  slow?.start({ roomFor: () => room, send: (event) => sent.push(event), end: () => undefined });
  quick?.start({ roomFor: () => 'now', send: () => undefined, end: () => undefined });
  await table.clock.run(table.clock.now + 10);
  isBusy = true;
  await table.passing(project.execute(increment('a')));
  await table.clock.run(table.clock.now + 10);
  // The slow one had no room in this round, and the value makes room for another.
  memory.keep({ forget: () => undefined }, 10_000);
  await table.clock.run(table.clock.now + 2_000);
  room = 'now';
  slow?.room();
  await table.clock.run(table.clock.now + 10);
  handing.open();
  await table.clock.run(table.clock.now + 2_000);
  expect(sent.map(({ data }) => JSON.parse(data).value)).toEqual([1]);
  for (const subscriber of [slow, quick]) subscriber?.close();
});
