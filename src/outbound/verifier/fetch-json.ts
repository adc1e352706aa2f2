import { type Json, JsonError, parseJsonBytes } from '../../kernel/json.ts';

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 32;

export interface Fetched {
  readonly status: number;
  /** Parsed with exact numbers, because player ids are often beyond a double. `undefined` if it is not JSON, or too large. */
  readonly body: Json | undefined;
}

export function isFetched(value: unknown): value is Fetched {
  return typeof value === 'object' && value !== null && 'status' in value && typeof value.status === 'number' && 'body' in value;
}

/** Requests JSON from a service. Throws what `fetch` throws. A redirect is an error, because it would send the token elsewhere. */
export async function fetchJson(
  url: string,
  init: Pick<RequestInit, 'method' | 'body' | 'headers'>,
  signal: AbortSignal,
): Promise<Fetched> {
  const answer = await fetch(url, { ...init, signal, redirect: 'error' });
  return { status: answer.status, body: parsedAnswer(await bytesOf(answer)) };
}

async function bytesOf(answer: Response): Promise<Buffer | null> {
  if (answer.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    // Leaving the loop cancels the rest of the body.
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsedAnswer(bytes: Buffer | null): Json | undefined {
  if (bytes === null || bytes.length === 0) return undefined;
  try {
    return parseJsonBytes(bytes, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
