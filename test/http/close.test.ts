import { describe, expect, it } from 'vitest';
import { startServer } from './harness.ts';

describe('closing', () => {
  it('lets a running request finish, tells it to hang up, and accepts no other', async () => {
    const server = await startServer();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started = new Promise<void>((resolve) => {
      const { read } = server.app.values;
      server.app.values.read = async (caller, target) => {
        resolve();
        await gate;
        return read(caller, target);
      };
    });
    const running = server.play('GET', '/v3/values/demo');
    await started;
    const closed = server.server.close(10_000);
    await expect(server.play('GET', '/v3/values/demo')).rejects.toThrow();
    release();
    const reply = await running;
    expect([reply.status, reply.headers.connection]).toEqual([200, 'close']);
    await closed;
  });

  it('cuts what does not finish in time', async () => {
    const server = await startServer();
    const started = new Promise<void>((resolve) => {
      server.app.values.read = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const running = server.play('GET', '/v3/values/demo');
    const cut = expect(running).rejects.toThrow();
    await started;
    await server.server.close(10);
    await cut;
  });
});
