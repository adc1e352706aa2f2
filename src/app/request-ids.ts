import { maskSecrets } from '../kernel/secrets.ts';
import { newCommandId } from './project/commit.ts';

/** By what a commit is known: its command id, and the id of its request where that is another. */
export interface CommitIds {
  readonly commandId: string;
  readonly requestId?: string;
}

/**
 * The ids of one request, and how its commits carry them. The first commit of a request whose id this node made has that id as its command
 * id, so storing it costs nothing. A request id that the caller chose may be personal: it is stored in data, which can be forgotten.
 */
export class RequestIds {
  readonly #requestId: string;
  #commandId: string | null;

  constructor({ requestId, madeId }: { readonly requestId: string; readonly madeId: string | null }) {
    this.#requestId = requestId;
    this.#commandId = madeId;
  }

  /** The ids of the request's next commit. */
  ofCommit(): CommitIds {
    const commandId = this.#commandId ?? newCommandId();
    this.#commandId = null;
    return commandId === this.#requestId ? { commandId } : { commandId, requestId: maskSecrets(this.#requestId) };
  }
}

/** The ids of a commit that a caller's request makes. */
export function commitIds({ request }: { readonly request?: RequestIds | undefined }): CommitIds {
  return request?.ofCommit() ?? { commandId: newCommandId() };
}
