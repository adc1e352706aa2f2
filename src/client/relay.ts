import type { Result } from './errors.ts';
import type { RequestOptions, WriteOptions } from './options.ts';

/** Another way for the requests of a guest: through the host of its game. */
export interface Relay {
  /** A call, whose body is sealed already where that is needed. `body` of the answer. */
  call(slug: string, body: unknown, key: string, options?: WriteOptions): Promise<Result<unknown>>;
  /** The read of a document. */
  document(collection: string, key: string, options?: RequestOptions): Promise<Result<unknown>>;
}
