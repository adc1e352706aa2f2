import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { bodyOf, type Client, ok, refused } from '../support/game-client.ts';

/** A service for webhooks. It accepts posts to every path but those that end in `broken`; those to `slow` take a while. */
export interface Chat {
  /** The prefix of its addresses. */
  readonly hooks: string;
  /** The paths of the posts that it got. */
  readonly posted: string[];
  close(): void;
}

export async function openChat(): Promise<Chat> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    posted.push(request.url ?? '');
    const answer = () => response.writeHead(request.url?.endsWith('broken') ? 500 : 204).end();
    request.resume().on('end', () => (request.url?.endsWith('slow') ? setTimeout(answer, 200) : answer()));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { hooks: `http://127.0.0.1:${port}/hooks/`, posted, close: () => void server.close() };
}

/** Webhook steps of a node that may post to `chat`. */
export function webhooks(game: () => Client, chat: () => Chat): void {
  describe('webhooks', () => {
    const told = {
      id: 'told',
      slug: 'told',
      steps: [
        { id: 'me', type: 'read', collection: 'players', key: '{{input.key}}' },
        { id: 'hook', type: 'webhook', url: `{{input.to}}{{input.path|good}}`, title: 'Hello {{platformId}}' },
        { id: 'other', type: 'read', collection: 'towns', key: 'never-read-{{input.key}}' },
        { id: 'w', type: 'write', collection: 'towns', key: 'bell', ops: [{ op: 'inc', path: 'rung', value: 1 }] },
        { id: 'c', type: 'condition', check: { field: 'input.fail', op: 'not_exists' } },
      ],
      response: { body: { hook: '{{hook}}' } },
    };
    const tell = (body: object) => game().play('POST', game().endpoint('told'), { body: { to: chat().hooks, ...body } });

    test('are sent once each, however often calls that meet on one document are decided; a failed delivery fails no call', async () => {
      await ok(game().manage('PATCH', game().definitions('endpoints'), { body: told }));
      const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => tell({ key: `k${n}`, path: `n${n}` })));
      expect(replies.map(({ body }) => body)).toEqual(replies.map(() => ({ hook: { ok: true, status: 204 } })));
      expect([...chat().posted].sort()).toEqual(Array.from({ length: 20 }, (_, n) => `/hooks/n${n}`).sort());
      expect(await bodyOf(game().play('GET', game().storage('towns/bell')))).toMatchObject({ rung: 20 });
      expect(await bodyOf(tell({ path: 'broken' }))).toMatchObject({ hook: { ok: false, status: 500 } });
    });

    test('are sent once of calls with one Idempotency-Key that meet: the others wait for the first, and are answered alike', async () => {
      chat().posted.length = 0;
      const headers = { 'idempotency-key': 'told-once' };
      const send = () => game().play('POST', game().endpoint('told'), { body: { to: chat().hooks, path: 'slow' }, headers });
      const replies = await Promise.all(Array.from({ length: 6 }, send));
      expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => [200, { hook: { ok: true, status: 204 } }]));
      expect(replies.filter((reply) => reply.headers['idempotent-replay'] === 'true')).toHaveLength(5);
      expect(chat().posted).toEqual(['/hooks/slow']);
    });

    test('leave before the call is refused, go nowhere but where they may, and are only shown in tests', async () => {
      chat().posted.length = 0;
      expect(await refused(tell({ fail: true }))).toBe('400 CONDITION_FAILED');
      expect(chat().posted).toEqual(['/hooks/good']);
      for (const to of ['http://127.0.0.1:1/', `${chat().hooks}../`, 'https://chat.example/', '']) {
        expect(await refused(tell({ to }))).toBe('400 ENDPOINT_ERROR.WEBHOOK');
      }
      const { body } = await ok(
        game().manage('POST', game().definitions('test-endpoint'), { body: { slug: 'told', input: { to: chat().hooks } } }),
      );
      expect(body).toMatchObject({ passed: true, result: { body: { hook: { ok: true, status: 200, skipped: true } } } });
      expect(chat().posted).toHaveLength(1);
    });
  });
}
