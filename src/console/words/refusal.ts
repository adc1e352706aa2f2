/** What went wrong with a request, in the words of whoever works with games and not with programs. */

export interface Refusal {
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
  /** The request would have changed something; left out of one that only read. */
  readonly wrote?: true;
  /** Members that the refusal has besides these. */
  readonly details: Readonly<Record<string, unknown>>;
}

export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'Refused';
    this.refusal = refusal;
  }
}

/** Whether nobody answered who could, which may be otherwise in a moment. */
export function isAway(error: unknown): boolean {
  return error instanceof Refused && [0, 503].includes(error.refusal.status);
}

/** Whether there is nothing by that name, as against a moment at which nobody can look. */
export function isUnknown(error: unknown): boolean {
  return error instanceof Refused && error.refusal.status === 404 && !error.refusal.code.startsWith('AT_');
}

export interface Notice {
  readonly happened: string;
  /** What it means, for players or for who looks. */
  readonly means: string;
  readonly toDo: string;
}

export const NOTHING_CHANGED = 'Nothing was changed.';
const NOT_SHOWN = 'It could not be shown.';
export const AGAIN = 'Try again in a moment. If it goes on, look at Health.';

/** Where `means` is left out, it follows from the status and from what the request was. */
export interface Words {
  readonly happened: string;
  readonly means?: string;
  readonly toDo: string;
}

/** Words of what is told where nothing else can be loaded. */
export const ALWAYS: Readonly<Record<string, Words>> = {
  UNREACHABLE: {
    happened: 'The server does not answer.',
    means: 'What is shown may be old. Whether a change that was under way happened is not known.',
    toDo: 'Look whether the server runs and whether you are online; then load the page again and look before you repeat a change.',
  },
  SIGNED_OUT: { happened: 'Your session is over.', toDo: 'Sign in again.' },
};

/** What is told of a refusal, with words for codes. What has none is told by the server's own sentence. */
export function noticeOf(refusal: Refusal, words: Readonly<Record<string, Words>>): Notice {
  const known = words[refusal.code];
  const means = known?.means ?? meansOf(refusal);
  if (known !== undefined) return { happened: known.happened, means, toDo: known.toDo };
  return { happened: refusal.message, means, toDo: toDoAbout(refusal) };
}

/** Of a change that failed inside the server nothing is promised. What it could not even begin (503) did not happen. */
function meansOf({ status, wrote }: Refusal): string {
  if (wrote !== true) return NOT_SHOWN;
  return status >= 500 && status !== 503 ? 'Whether it happened is not known.' : NOTHING_CHANGED;
}

function toDoAbout({ status, wrote }: Refusal): string {
  if (status >= 500 && wrote === true && status !== 503) return 'Look at the last commits before you repeat it.';
  if (status >= 500 || status === 0) return AGAIN;
  if (status === 403) return 'Ask an owner of the project for a role that may.';
  if (status === 404) return 'Look whether the id is whole.';
  if (status === 409) return 'It is otherwise than this page shows: load it again, and look before you go on.';
  if (status === 429) return 'Wait a little, and try again.';
  return wrote === true ? 'Change that, and try again.' : 'Ask for something else, or load the page again.';
}

const ANOTHER_LINK = 'Make another link, as it says below, and open it in this browser.';

const LINKS: Readonly<Record<string, Notice>> = {
  used: {
    happened: 'This link was used already.',
    means: 'A link signs in once. If it was not you who opened it, an owner ends that session on the page People.',
    toDo: ANOTHER_LINK,
  },
  over: { happened: 'This link is too old.', means: 'A link is good for ten minutes.', toDo: ANOTHER_LINK },
  unknown: {
    happened: 'This link lets nobody in.',
    means: 'It is not whole, was taken back, or went more than a day ago.',
    toDo: ANOTHER_LINK,
  },
};

/** Words for a link that does not sign in; `null`: something else went wrong. */
export function linkNoticeOf(error: unknown): Notice | null {
  if (!(error instanceof Refused) || error.refusal.code !== 'UNAUTHORIZED') return null;
  const { link }: { readonly link?: unknown } = Object(error.refusal.details['details']);
  return typeof link === 'string' ? (LINKS[link] ?? null) : null;
}

/** Whether the server's own sentence says more than the notice. */
export function addsDetail({ code, message }: Refusal, words: Readonly<Record<string, Words>>): boolean {
  return words[code] !== undefined && message !== '' && !Object.hasOwn(ALWAYS, code);
}

/** Whether the same may be answered otherwise later: not if what was asked is wrong in itself, or of a time before there was anything. */
export function mayPass({ status, code }: Refusal): boolean {
  return status !== 400 && code !== 'AT_BEFORE_FIRST';
}

/** The refusal that an answer holds, whatever answered. `wrote`: to a request that would have changed something. */
export function refusalOf(status: number, body: unknown, wrote = false): Refusal {
  const envelope: { readonly error?: unknown; readonly message?: unknown } = Object(body);
  const { code, message, requestId, ...details }: Readonly<Record<string, unknown>> = Object(envelope.error);
  const said = typeof message === 'string' ? message : envelope.message;
  return {
    status,
    code: typeof code === 'string' ? code : status === 401 ? 'SIGNED_OUT' : 'UNKNOWN',
    message: typeof said === 'string' ? said : `The server answered with the status ${status}.`,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(wrote ? { wrote } : {}),
    details,
  };
}
