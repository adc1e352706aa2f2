import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, redactUrl } from '../../config/config.ts';
import { WrongUsage } from '../wrong-usage.ts';

/** Where a log is kept, as given to `log copy`. */
export type LogLocation =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'eventstore'; readonly url: string }
  | { readonly kind: 'data'; readonly dir: string }
  | { readonly kind: 'file'; readonly path: string };

export const PLACES_HELP = `
A location is one of
  postgres://user:password@host:port/database   a Postgres server
  esdb://user:password@host:port                an EventStoreDB or KurrentDB
  data:DIR                                      the embedded database of a data folder
  file:PATH.ndjson.gz                           a file: the backup of any engine, and with an empty log as --to its restore
Without --from or --to that end is this installation's own log.`;

const POSTGRES = ['postgres:', 'postgresql:'];
const EVENTSTORE = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];

/** Reads a place. Throws a refusal that names what is allowed. The text may hold a password, so the message does not show all of it. */
export function parseLocation(text: string): LogLocation {
  if (text.startsWith('data:') && text.length > 5) return { kind: 'data', dir: resolve(text.slice(5)) };
  if (text.startsWith('file://') && URL.canParse(text)) return { kind: 'file', path: fileURLToPath(text) };
  if (text.startsWith('file:') && text.length > 5) return { kind: 'file', path: resolve(text.slice(5)) };
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (POSTGRES.includes(protocol)) return { kind: 'postgres', url: text };
  if (EVENTSTORE.includes(protocol)) return { kind: 'eventstore', url: text };
  const what = URL.canParse(text) ? redactUrl(text) : 'What is given';
  throw new WrongUsage(`${what} is no place of a log; allowed are postgres://…, esdb://…, data:DIR and file:PATH`);
}

/** Where this installation keeps its log. */
export function ownLocation({ eventStoreUrl, databaseUrl, dataDir }: Config): LogLocation {
  if (eventStoreUrl !== null) return { kind: 'eventstore', url: eventStoreUrl };
  if (databaseUrl !== null) return { kind: 'postgres', url: databaseUrl };
  return { kind: 'data', dir: resolve(dataDir) };
}

/** Where a command looked, without passwords: in the JSON of its result, and as a line before it. */
export interface LookedAt {
  readonly log: string;
  readonly readModels: string;
}

/** Where this installation keeps its log and its read models. */
export function placesOf(config: Config): LookedAt {
  return { log: locationText(ownLocation(config)), readModels: locationText(ownLocation({ ...config, eventStoreUrl: null })) };
}

export function lookedAtText({ log, readModels }: LookedAt): string {
  return log === readModels ? `Log and read models: ${log}` : `Log: ${log}\nRead models: ${readModels}`;
}

/** The place as it may be shown, without a password. Two places with the same text are the same place. */
export function locationText(location: LogLocation): string {
  if (location.kind === 'data') return `data:${location.dir}`;
  if (location.kind === 'file') return `file:${location.path}`;
  return redactUrl(location.url);
}
