import { END, jsonEvent } from '@eventstore/db-client';
import { isArray, isObject, type Json, type JsonObject, jsonEquals, tryParseJson } from '../../kernel/json.ts';
import { LogUnavailable } from '../port.ts';
import { answered } from './append.ts';
import { type Connection, openConnection } from './connection.ts';
import { failureOf } from './failures.ts';

/**
 * Access rights of the server. By default every account may append to every stream without an access list of its own, and admins alone may
 * read `$all`. An event in the stream `$settings` changes the first, the metadata of `$all` the second.
 */

const SETTINGS = '$settings';
const METADATA_OF_ALL = '$$$all';
const ADMINS = '$admins';
const EVERYBODY = '$all';
const LEADER = { requiresLeader: true } as const;

/** What the server is told. */
export interface Rights {
  /** The data of the last event of `$settings`: the rights by default. */
  readonly settings: JsonObject;
  /** The metadata of `$all`. */
  readonly all: JsonObject;
}

interface Protection {
  readonly before: Rights;
  readonly after: Rights;
  readonly changed: boolean;
}

/** Rights under which, beside admins, this account alone appends to streams without an access list of their own, and may read `$all`. */
export function protectedRights({ settings, all }: Rights, account: string): Rights {
  const { $r = EVERYBODY, $mr = EVERYBODY } = objectOrEmpty(settings['$userStreamAcl']);
  const writers = [ADMINS, account];
  const acl = objectOrEmpty(all['$acl']);
  const readers = rolesIn(acl['$r']) ?? [ADMINS];
  const mayRead = readers.includes(account) || readers.includes(EVERYBODY);
  return {
    settings: { ...settings, $userStreamAcl: { $r, $w: writers, $d: [ADMINS], $mr, $mw: writers } },
    all: mayRead ? all : { ...all, $acl: { ...acl, $r: [...readers, account] } },
  };
}

function objectOrEmpty(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function rolesIn(value: Json | undefined): readonly string[] | null {
  if (typeof value === 'string') return [value];
  return isArray(value) ? value.map(String) : null;
}

interface ProtectOptions {
  /** A connection string with the account of an admin. */
  readonly url: string;
  /** The account that nodes use. */
  readonly account: string;
  readonly timeoutMs?: number;
  /** Whether the change is made; not asked where there is none. */
  confirm(protection: Protection): Promise<boolean>;
}

/**
 * Sets {@link protectedRights}. What another admin changes at the same time is not overwritten. Resolves to `null` if it was not confirmed.
 * Throws `LogUnavailable`.
 */
export async function protectStreams({ url, account, timeoutMs = 8000, confirm }: ProtectOptions): Promise<Protection | null> {
  const connection = openConnection(url);
  const rights = new ServerRights(connection, timeoutMs);
  try {
    const { rights: before, revisions } = await rights.read().catch(failed);
    const after = protectedRights(before, account);
    const protection = { before, after, changed: !jsonEquals({ ...before }, { ...after }) };
    if (!protection.changed) return protection;
    if (!(await confirm(protection))) return null;
    await rights.write(before, after, revisions).catch(failed);
    return protection;
  } finally {
    await connection.close();
  }
}

/** At which revisions the rights were read: they are written on these alone. */
interface Revisions {
  readonly settings: bigint | 'no_stream';
  readonly all: bigint | 'no_stream';
}

class ServerRights {
  readonly #connection: Connection;
  readonly #timeoutMs: number;

  constructor(connection: Connection, timeoutMs: number) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  async read(): Promise<{ readonly rights: Rights; readonly revisions: Revisions }> {
    const [settings, all] = [await this.#last(SETTINGS), await this.#last(METADATA_OF_ALL)];
    return { rights: { settings: settings.data, all: all.data }, revisions: { settings: settings.revision, all: all.revision } };
  }

  async write(before: Rights, after: Rights, revisions: Revisions): Promise<void> {
    // First the grant: an account that may append and not read serves nobody.
    if (!jsonEquals(before.all, after.all)) await this.#append(METADATA_OF_ALL, '$metadata', after.all, revisions.all);
    if (!jsonEquals(before.settings, after.settings)) await this.#append(SETTINGS, SETTINGS, after.settings, revisions.settings);
  }

  /** The data of a stream's last event; `{}` where there is none. */
  async #last(stream: string): Promise<{ readonly data: JsonObject; readonly revision: bigint | 'no_stream' }> {
    const client = this.#connection.client();
    const read = async () => {
      const options = { direction: 'backwards', fromRevision: END, maxCount: 1, ...LEADER } as const;
      // Read to its end: a read that is left early holds up the close of its client.
      let last = null;
      for await (const { event } of client.readStream(stream, options)) last = event ?? last;
      return last;
    };
    try {
      const event = await answered(this.#connection, client, this.#timeoutMs, read);
      if (event === null) return { data: {}, revision: 'no_stream' };
      return { data: objectIn(stream, event.data), revision: event.revision };
    } catch (error) {
      if (failureOf(error).type === 'stream-not-found') return { data: {}, revision: 'no_stream' };
      throw error;
    }
  }

  async #append(stream: string, type: string, data: JsonObject, expectedRevision: bigint | 'no_stream'): Promise<void> {
    const client = this.#connection.client();
    const event = jsonEvent({ type, data: data as Record<string, unknown> });
    await answered(this.#connection, client, this.#timeoutMs, () => client.appendToStream(stream, event, { expectedRevision, ...LEADER }));
  }
}

/** An access list that cannot be read is never overwritten. */
function objectIn(stream: string, data: unknown): JsonObject {
  const read = data instanceof Uint8Array ? tryParseJson(Buffer.from(data).toString()) : (data as Json);
  if (isObject(read)) return read;
  throw new LogUnavailable(`the last event of ${stream} is no JSON object; put it right on the server first`);
}

function failed(error: unknown): never {
  if (error instanceof LogUnavailable) throw error;
  const { type, message } = failureOf(error);
  if (type === 'access-denied')
    throw new LogUnavailable('this account may not change rights: EVENTSTORE_URL of this call names an admin', { cause: error });
  if (type === 'wrong-expected-version')
    throw new LogUnavailable('somebody else changed the rights at the same time; look at them, and call it again', { cause: error });
  throw new LogUnavailable(`the rights were not set: ${message}`, { cause: error });
}
