import { expect, test } from 'vitest';
import { RequestIds } from '../../src/app/request-ids.ts';
import { readProjectEvent } from '../../src/log/decode.ts';
import { STREAM, Table, THING, written } from './support.ts';

/** The request id that commits store. */

/** The two events of a commit with these ids, as they lie in the log. */
async function commitOf(ids: ReturnType<RequestIds['ofCommit']>) {
  const table = new Table();
  const project = await table.open();
  await table.passing(
    project.execute({
      ...ids,
      cause: 'document.write',
      actor: { kind: 'public', player: 'p1' },
      decide: (ctx) => {
        for (const key of ['a', 'b']) ctx.read(THING(key));
        return { answer: null, events: [written('a', 0), written('b', 0)] };
      },
    }),
  );
  return table.log.inner.read(STREAM, { from: 0, limit: 10, direction: 'forwards' });
}

test('an id that the node made is the command id of the first commit, and no byte is stored for it', async () => {
  const ids = new RequestIds({ requestId: 'req_1', madeId: 'req_1' });
  const events = await commitOf(ids.ofCommit());
  expect(events.map((event) => readProjectEvent(event)).map(({ metadata }) => metadata.commandId)).toEqual(['req_1', 'req_1']);
  expect(events.some(({ data, metadata }) => `${data}${metadata}`.includes('equest'))).toBe(false);
});

test('a second commit of the request has a command id of its own, and stores the id of the request', () => {
  const ids = new RequestIds({ requestId: 'req_1', madeId: 'req_1' });
  ids.ofCommit();
  const second = ids.ofCommit();
  expect(second.requestId).toBe('req_1');
  expect(second.commandId).not.toBe('req_1');
});

test('an id that the caller chose stands once in a commit, in data, which can be forgotten', async () => {
  const events = await commitOf(new RequestIds({ requestId: 'Ada "7"', madeId: null }).ofCommit());
  expect(events.map(({ metadata }) => metadata.includes('Ada'))).toEqual([false, false]);
  expect(events.map(({ data }) => data.includes('"$player":"p1","$request":"Ada \\"7\\"","$salt":'))).toEqual([true, false]);
  const [first, second] = events.map((event) => readProjectEvent(event));
  expect([first?.metadata.requestId, second?.metadata.requestId]).toEqual(['Ada "7"', undefined]);
  expect(first?.data).not.toHaveProperty('$request');
});

test('what looks like a secret in it is masked', () => {
  expect(new RequestIds({ requestId: `sk_${'a'.repeat(48)}`, madeId: null }).ofCommit().requestId).toBe('sk_***');
});
