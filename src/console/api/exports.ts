import type { ListSearch } from '../words/collection.ts';
import { Refused } from '../words/refusal.ts';
import { openAnswer } from './http.ts';
import { given, type View } from './view.ts';

/** Documents of a collection as a file. */

export interface ExportAsked extends Pick<ListSearch, 'by' | 'from' | 'to' | 'begins'> {
  readonly format: 'ndjson' | 'csv';
}

/** A file that came whole. */
export interface ExportedFile {
  readonly name: string;
  readonly type: string;
  readonly parts: readonly Blob[];
  readonly bytes: number;
}

interface Exporting {
  /** Why personal values are in it; `undefined`: they are masked. */
  readonly reason: string | undefined;
  readonly signal: AbortSignal;
  /** Bytes that have come. */
  readonly onProgress: (bytes: number) => void;
}

/** The browser keeps larger parts on its disk. */
const PART_BYTES = 4_000_000;

/** All documents of a collection as a file; `null`: it was stopped. Throws `Refused`, also where it broke off. */
export async function exportDocuments(
  { project, target }: View,
  collection: string,
  { format, ...which }: ExportAsked,
  { reason, signal, onProgress }: Exporting,
): Promise<ExportedFile | null> {
  const query = new URLSearchParams({ format, ...given(which) });
  const path = ['/v3/manage', ...[project, 'documents', collection].map(encodeURIComponent), 'export'].join('/');
  const headers = { 'x-ns-publish-target': target, ...(reason === undefined ? {} : { 'x-ns-reveal': encodeURIComponent(reason) }) };
  try {
    const response = await openAnswer(`${path}?${query}`, headers, signal);
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? `${collection}.${format}`;
    const { parts, bytes } = await partsOf(response, onProgress);
    return { name, type: response.headers.get('content-type') ?? '', parts, bytes };
  } catch (error) {
    if (signal.aborted) return null;
    if (error instanceof Refused) throw isUnderWay(error) ? new Refused({ ...error.refusal, code: 'EXPORT_UNDER_WAY' }) : error;
    throw new Refused({ status: 0, code: 'BROKE_OFF', message: String(error), details: {} });
  }
}

/** Whether another file is being made. */
function isUnderWay({ refusal: { code, details } }: Refused): boolean {
  return code === 'BUSY' && Object(details['details']).underWay === 'export';
}

async function partsOf({ body }: Response, onProgress: (bytes: number) => void) {
  const parts: Blob[] = [];
  let [chunks, size, bytes]: [Uint8Array<ArrayBuffer>[], number, number] = [[], 0, 0];
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    chunks.push(read.value as Uint8Array<ArrayBuffer>);
    size += read.value.length;
    bytes += read.value.length;
    onProgress(bytes);
    if (size < PART_BYTES) continue;
    parts.push(new Blob(chunks));
    [chunks, size] = [[], 0];
  }
  return { parts: [...parts, new Blob(chunks)], bytes };
}
