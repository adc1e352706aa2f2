import type { Answer } from './answer.ts';
import type { Result } from './errors.ts';
import type { RequestOptions, WriteOptions } from './options.ts';

/** Sends the requests of a guest through the host of its game. */
export interface Relay {
  /** Calls an endpoint. The body is already encrypted if needed. Resolves to the body of the answer. */
  call(slug: string, body: unknown, key: string, options?: WriteOptions): Promise<Result<unknown>>;
  /** Reads a document. The answer has its `x-ns-save-version`, and a text if that holds numbers which doubles do not. */
  document(collection: string, key: string, options?: RequestOptions): Promise<Result<Answer>>;
}
