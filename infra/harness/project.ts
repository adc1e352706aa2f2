import { type Answer, createHttp, type Http } from './http.ts';
import { at, textAt } from './json.ts';

/** A project and its keys, as `savepoint project create --json` prints them. */
export interface Credentials {
  readonly projectId: string;
  readonly publicKey: string;
  readonly secretKey: string;
}

/** One project on one running node, and the calls that games, servers and studios make to it. */
export interface Project extends Credentials {
  readonly url: string;
  readonly http: Http;
}

export type Target = 'live' | 'next';

export function openProject(url: string, credentials: Credentials): Project {
  return { ...credentials, url, http: createHttp(url) };
}

/** Checks credentials that were read from a file or from a program's output. */
export function parseCredentials(value: unknown): Credentials {
  const projectId = textAt(value, 'projectId');
  const publicKey = textAt(value, 'publicKey');
  const secretKey = textAt(value, 'secretKey');
  if (!projectId || !publicKey || !secretKey)
    throw new Error('these are no project credentials: projectId, publicKey and secretKey are needed');
  return { projectId, publicKey, secretKey };
}

/**
 * The headers that the client library sends with every call of a player: the public key twice, the player's id, and the target when it is
 * not live.
 */
export function playerHeaders(project: Project, platformId: string, target: Target = 'live'): Record<string, string> {
  const headers: Record<string, string> = { 'x-public-key': project.publicKey, 'x-platform-id': platformId, 'x-ns-client-type': 'game' };
  if (target === 'next') headers['x-ns-publish-target'] = 'next';
  return headers;
}

/** The headers that a dedicated server or a studio's tool sends. */
export function secretHeaders(project: Project, target: Target = 'live'): Record<string, string> {
  const headers: Record<string, string> = { 'x-api-key': project.secretKey, 'x-public-key': project.publicKey };
  if (target === 'next') headers['x-ns-publish-target'] = 'next';
  return headers;
}

export function endpointPath(project: Project, slug: string): string {
  return `/v3/endpoints/${project.projectId}/${slug}?apiKey=${project.publicKey}`;
}

export function storagePath(project: Project, rest: string): string {
  return `/v3/storage/${project.projectId}/${rest}`;
}

export function managePath(project: Project, rest: string): string {
  return `/v3/manage/${project.projectId}/${rest}`;
}

/** The error code of an answer, `HTTP_{status}` where the body has none; `null` for success. */
export function errorCode(answer: Answer): string | null {
  const refused = answer.status >= 400 || at(answer.body, 'ok') === false;
  if (!refused) return null;
  return textAt(answer.body, 'error.code') ?? `HTTP_${answer.status}`;
}

/** Resolves to a successful answer. Throws with the name of the call and the answer for any other. */
export async function expectOk(what: string, call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (errorCode(answer) === null) return answer;
  throw new Error(`${what} answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 600)}`);
}

/** How long views may say that they are stale after a restart or a burst. */
const STALE_MS = 15_000;

/** Like {@link expectOk} for a view: repeats the request until the answer is not stale. */
export async function expectCurrent(what: string, call: () => Promise<Answer>): Promise<Answer> {
  for (const until = performance.now() + STALE_MS; ; ) {
    const answer = await expectOk(what, call());
    if (answer.headers['x-ns-stale'] !== 'true') return answer;
    if (performance.now() > until) throw new Error(`${what} stays stale: no node projects, or its log says why it cannot`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
