import type { PeopleDesk, SignedIn } from '../../app/app.ts';
import type { PersonWhy } from '../../domain/people/people.ts';
import { refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import type { Answer } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import { type Exchange, queryText } from '../exchange.ts';
import { shown, shownSessions } from './api.ts';
import type { ConsolePlace } from './place.ts';

/** `/api/people` of the console: who may sign in, and what for. */

const PATH = /^\/api\/people(?:\/(per_[0-9a-f]{16})(?:\/(roles|reset|forget|sessions)(?:\/([\w*.-]{1,64}))?)?)?$/;

const HISTORY = '/api/people/history';

/** Whether a path is one of these routes. */
export function isPeopleRoute(path: string): boolean {
  return /^\/api\/people(?:\/|$)/.test(path);
}

interface Asked {
  readonly exchange: Exchange;
  readonly desk: PeopleDesk;
  readonly body: BodyBounds;
  readonly place: ConsolePlace;
  /** Rejects with 401 SIGNED_OUT once the session is over, which may be while a body comes slowly. */
  stillSignedIn(): Promise<unknown>;
}

/** Answers for somebody who is signed in. */
export async function answerPeople(asked: Asked, { person: { id: by } }: SignedIn): Promise<Answer> {
  const { exchange, desk } = asked;
  const { method, path } = exchange;
  if (method === 'GET' && path === HISTORY) return history(asked, by);
  const found = PATH.exec(path);
  const [, id, part, last] = found ?? [];
  if (found === null) throw refusal('NOT_FOUND');
  switch (`${method} ${[id && 'person', part, last && 'one'].filter(Boolean).join(' ')}`) {
    case 'GET ':
      return shown({
        ok: true,
        people: (await desk.list(by)).map(({ addedAt, usedAt, signedInAt, ...rest }) => ({
          ...rest,
          addedAt: timeOf(addedAt),
          usedAt: timeOf(usedAt),
          signedInAt: timeOf(signedInAt),
        })),
      });
    case 'POST ':
      return added(asked, by);
    case 'DELETE person':
      await desk.remove(by, id ?? '', await whyIn(asked));
      return shown({ ok: true });
    case 'PUT person roles one':
      await desk.setRole(by, id ?? '', { project: last ?? '', ...(await roleIn(asked)) });
      return shown({ ok: true });
    case 'POST person forget':
      return shown({ ok: true, ...(await desk.forget(by, id ?? '', await whyIn(asked))) });
    case 'POST person reset':
      return shown({ ok: true, url: linkOf(asked, await desk.reset(by, id ?? '', await whyIn(asked))) });
    case 'GET person sessions':
      return shown({ ok: true, sessions: shownSessions(await desk.sessionsOf(by, id ?? ''), null) });
    case 'DELETE person sessions':
      await desk.endSession(by, id ?? '', null, await whyIn(asked));
      return shown({ ok: true });
    case 'DELETE person sessions one':
      await desk.endSession(by, id ?? '', last ?? '', await whyIn(asked));
      return shown({ ok: true });
    default:
      throw refusal('NOT_FOUND');
  }
}

async function history({ exchange, desk }: Asked, by: string): Promise<Answer> {
  const person = queryText(exchange, 'person');
  const { changes, before } = await desk.history(by, { person, before: revisionCursor(queryText(exchange, 'before'), 'before') });
  return shown({ ok: true, changes: changes.map(({ at, ...rest }) => ({ ...rest, at: timeOf(at) })), before });
}

async function added(asked: Asked, by: string): Promise<Answer> {
  const body = await bodyOf(asked);
  const { name, email, project, role } = body;
  if (
    typeof name !== 'string' ||
    typeof project !== 'string' ||
    typeof role !== 'string' ||
    (email !== undefined && typeof email !== 'string')
  )
    throw refusal(
      'INVALID_BODY',
      'A person is let in by `{"name": …, "role": …, "project": …, "email": …}`; the project `*` is every one, `email` may be left out',
    );
  const { person, link } = await asked.desk.add(by, { name, email, project, role, ...readWhy(body) });
  return shown({ ok: true, person, url: linkOf(asked, link) });
}

async function roleIn(asked: Asked): Promise<PersonWhy & { readonly role: string }> {
  const body = await bodyOf(asked);
  const { role } = body;
  if (typeof role !== 'string') throw refusal('INVALID_BODY', 'A role is given by `{"role": …}`; `none` takes it');
  return { role, ...readWhy(body) };
}

async function whyIn(asked: Asked): Promise<PersonWhy> {
  return readWhy(await bodyOf(asked));
}

async function bodyOf({ exchange, body, stillSignedIn }: Asked): Promise<JsonObject> {
  const read = objectOf(await readJson(exchange, body, invalidBody));
  await stillSignedIn();
  return read;
}

/** Why, as any of these bodies may say it. */
function readWhy({ reason, ticket }: JsonObject): PersonWhy {
  if ((reason === undefined || typeof reason === 'string') && (ticket === undefined || typeof ticket === 'string'))
    return { reason, ticket };
  throw refusal('INVALID_BODY', '`reason` and `ticket` are texts, and may be left out');
}

function linkOf({ place }: Asked, link: string): string {
  return `${place.origin}/sign-in#${link}`;
}

function timeOf(ms: number): string;
function timeOf(ms: number | null): string | null;
function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
