import { PAGE } from '../../contract/routes/managed.ts';
import type { PublishTarget } from '../../domain/events.ts';
import type { Topic } from '../../domain/live/topic.ts';
import { refusal } from '../../kernel/errors.ts';
import { pageLimit } from '../../kernel/page-limit.ts';
import type { Address } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { projectOf } from '../context.ts';
import { mayReadPublishes } from '../management/history.ts';
import { provenForTarget } from '../security/players.ts';
import { admitRead } from '../storage/admission.ts';
import { readableLedger } from '../storage/ledger.ts';
import { runnable } from '../storage/query-call.ts';
import { readableSlots } from '../storage/save-records.ts';
import { readableValues } from '../storage/values.ts';
import {
  documentReading,
  ledgerReading,
  publishesReading,
  queryReading,
  type Reading,
  type ReadingContext,
  slotsReading,
  valuesReading,
} from './reading.ts';

/** A topic that a caller may read. */
export interface Admission {
  /** Proven, if the read asks for that. */
  readonly caller: Caller;
  readonly reading: Reading;
}

/** Throws the refusal of the plain read for a caller who may not do it. */
export async function admission(read: ReadingContext, caller: Caller, topic: Topic, target: PublishTarget): Promise<Admission> {
  const { context } = read;
  switch (topic.kind) {
    case 'documents': {
      const at = addressOf(topic, caller, target);
      const { caller: reader, ...access } = await admitRead(context, caller, 'document.read', at);
      return { caller: reader, reading: documentReading(read, access, at.key) };
    }
    case 'ledger': {
      const at = addressOf(topic, caller, target);
      const { caller: reader, ...access } = await readableLedger(context, caller, at);
      return { caller: reader, reading: ledgerReading(read, access, at, topic.options) };
    }
    case 'records': {
      const { caller: reader, ...access } = await readableSlots(context, caller, addressOf(topic, caller, target));
      return { caller: reader, reading: slotsReading(read, access) };
    }
    case 'query': {
      const project = await projectOf(context, caller);
      const reader = await provenForTarget(context, project, caller, target);
      return { caller: reader, reading: queryReading(read, project, runnable(project, reader, runOf(topic, caller, target))) };
    }
    case 'values': {
      const project = await projectOf(context, caller);
      const reader = await provenForTarget(context, project, caller, target);
      const { isWhole, values } = readableValues(project, reader, target);
      return { caller: reader, reading: valuesReading(target, isWhole, values) };
    }
    case 'publishes': {
      const project = await projectOf(context, caller);
      const limit = pageLimit(topic.options.get('limit') ?? null, PAGE.initial, PAGE.most);
      return { caller, reading: publishesReading(read, project, mayReadPublishes(project, caller), limit) };
    }
  }
}

function addressOf({ of, key }: Topic, caller: Caller, target: PublishTarget): Address {
  return { collection: of, key: key ?? ownId(caller), target };
}

function ownId({ onBehalfOf, platformId }: Caller): string {
  const id = onBehalfOf ?? platformId;
  if (id === null)
    throw refusal('MISSING_PLATFORM_ID', 'A topic without a key is about the player: name the player, in the header x-platform-id');
  return id;
}

function runOf({ of, options }: Topic, caller: Caller, target: PublishTarget) {
  const option = (name: string) => options.get(name) ?? null;
  const player = option('platformId') ?? (options.has('around') ? ownId(caller) : null);
  return { id: of, target, fresh: false, limit: option('limit'), offset: option('offset'), player, around: option('around') };
}
