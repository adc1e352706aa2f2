import type { RecordAddress } from '../../app/app.ts';
import { saveRecords } from '../../contract/routes/save-records.ts';
import { publishedSlots } from '../../domain/wire-answers.ts';
import { freshHeaders } from '../answer.ts';
import { invalidBody, readJson } from '../body.ts';
import { authenticate } from '../credentials.ts';
import { param } from '../exchange.ts';
import type { ContextOf, Handlers } from '../handlers.ts';
import { addressOf, documentBody, momentOf, pastHeaders, readAnswer, type Services } from './services.ts';

/** Save slots of a player, under every storage prefix. */
export function saveRecordHandlers(services: Services): Handlers<typeof saveRecords> {
  const { app, gameBody, settings } = services;
  return {
    async list(ctx) {
      const caller = await authenticate(app, ctx, saveRecords.list);
      const at = momentOf(ctx);
      const past = at === null ? null : await app.past.saveRecords(caller, addressOf(ctx), at);
      const list = past ?? (await app.saveRecords.list(caller, addressOf(ctx)));
      const headers = past === null ? freshHeaders(list) : pastHeaders(past);
      if (typeof list.result === 'string' || settings.wireNames === 'neutral') return readAnswer(list, headers);
      return readAnswer({ ...list, result: publishedSlots(list.result) }, headers);
    },

    async create(ctx) {
      const caller = await authenticate(app, ctx, saveRecords.create);
      return readAnswer(await app.saveRecords.create(caller, addressOf(ctx), () => readJson(ctx.state.exchange, gameBody, invalidBody)));
    },

    async rename(ctx) {
      const caller = await authenticate(app, ctx, saveRecords.rename);
      return readAnswer(await app.saveRecords.rename(caller, recordOf(ctx), () => documentBody(ctx, gameBody)));
    },

    async remove(ctx) {
      const caller = await authenticate(app, ctx, saveRecords.remove);
      return readAnswer(await app.saveRecords.remove(caller, recordOf(ctx)));
    },
  };
}

function recordOf(ctx: ContextOf<typeof saveRecords.rename>): RecordAddress {
  return { ...addressOf(ctx), recordId: param(ctx, 'record') };
}
