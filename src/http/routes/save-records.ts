import type { RecordAddress } from '../../app/app.ts';
import { wireNames } from '../../domain/wire-names.ts';
import { Refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Answer } from '../answer.ts';
import { invalidBody, readJson } from '../body.ts';
import { authenticate, RECORD_KEYS } from '../credentials.ts';
import { type Context, param } from '../exchange.ts';
import { addressOf, documentBody, type Routes, readAnswer, type Services } from './services.ts';

/** Save slots of a player, under every storage prefix (runtime-storage 8). */
export function saveRecordRoutes(router: Routes, services: Services): void {
  const { app, gameBody, settings } = services;

  router.get('/:project/:collection/:key/records', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, RECORD_KEYS);
    const list = await app.saveRecords.list(caller, addressOf(ctx));
    if (typeof list.body === 'string' || settings.wireNames === 'neutral') return readAnswer(list);
    return readAnswer({ ...list, body: publishedList(list.body) });
  });

  router.post('/:project/:collection/:key/records', async (ctx): Promise<Answer> => {
    const address = addressOf(ctx);
    const caller = await app.saveRecords.mayWrite(await authenticate(app, ctx, RECORD_KEYS), address);
    return readAnswer(await app.saveRecords.create(caller, address, await anyBody(ctx, services)));
  });

  router.patch('/:project/:collection/:key/records/:record', async (ctx): Promise<Answer> => {
    const address = recordOf(ctx);
    const caller = await app.saveRecords.mayWrite(await authenticate(app, ctx, RECORD_KEYS), address);
    return readAnswer(await app.saveRecords.rename(caller, address, await documentBody(ctx, gameBody)));
  });

  router.delete('/:project/:collection/:key/records/:record', async (ctx): Promise<Answer> => {
    const caller = await authenticate(app, ctx, RECORD_KEYS);
    return readAnswer(await app.saveRecords.remove(caller, recordOf(ctx)));
  });
}

function publishedList(body: JsonObject): JsonObject {
  const records = body['records'];
  if (!Array.isArray(records)) return body;
  const { saveRecord } = wireNames('published');
  return { ...body, records: records.map((entry) => (isObject(entry) ? saveRecord(entry) : entry)) };
}

function recordOf(ctx: Context): RecordAddress {
  return { ...addressOf(ctx), recordId: param(ctx, 'record') };
}

/** A body that is missing or no JSON names no record, which is no error (runtime-storage 8.3); one that is too large is refused. */
async function anyBody(ctx: Context, { gameBody }: Services): Promise<Json | undefined> {
  try {
    return await readJson(ctx.state.exchange, gameBody, invalidBody);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_BODY') return undefined;
    throw error;
  }
}
