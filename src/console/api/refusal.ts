/** What went wrong with a request, in the words of whoever works with games and not with programs. */

export interface Refusal {
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId?: string;
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

export interface Notice {
  readonly happened: string;
  /** What it means, for players or for who looks. */
  readonly means: string;
  readonly toDo: string;
}

const NOTHING_CHANGED = 'Nothing was changed.';
const AGAIN = 'Try again in a moment. If it goes on, look at Health.';

export const NOTICES: Readonly<Record<string, Notice>> = {
  UNREACHABLE: {
    happened: 'The server does not answer.',
    means: 'What is shown may be old. Whether a change that was under way happened is not known.',
    toDo: 'Look whether the server runs and whether you are online; then load the page again and look before you repeat a change.',
  },
  BROKE_OFF: {
    happened: 'The file broke off before its end.',
    means: 'Nothing was saved: a part of it would look like the whole.',
    toDo: 'Begin again. If it goes on, look at Health.',
  },
  OUTCOME_UNKNOWN: {
    happened: 'The server could not tell in time whether the change happened.',
    means: 'It may have happened, whole, or not at all.',
    toDo: 'Look at the last commits before you repeat it.',
  },
  SIGNED_OUT: { happened: 'Your session is over.', means: NOTHING_CHANGED, toDo: 'Sign in again.' },
  UNAUTHORIZED: {
    happened: 'That did not let you in.',
    means: NOTHING_CHANGED,
    toDo: 'Try again, or ask whoever runs the server for a new link.',
  },
  ISSUER_UNAVAILABLE: {
    happened: 'The service that signs people in does not answer.',
    means: 'Nobody was signed in.',
    toDo: 'Try again in a moment. Whoever has the server can make a link that signs in without it.',
  },
  ACCOUNT_LINKED: {
    happened: 'The account is linked otherwise already.',
    means: NOTHING_CHANGED,
    toDo: 'Sign in there with your own account, or ask an owner to reset you.',
  },
  FORBIDDEN: {
    happened: 'You may not do or see that.',
    means: NOTHING_CHANGED,
    toDo: 'Ask an owner of the project for a role that may.',
  },
  CONFIRM_NEEDED: {
    happened: 'This button asks something else now than what you were shown.',
    means: NOTHING_CHANGED,
    toDo: 'Load the page again, and read what it asks.',
  },
  REVEAL_NEEDED: {
    happened: 'This shows personal values, or is ordered by them.',
    means: 'Nothing is shown.',
    toDo: 'Whoever may reveal them asks with a reason, by the API.',
  },
  LOOK_NOT_RECORDED: {
    happened: 'Who looks at players is recorded, and that did not work just now.',
    means: 'Nothing is shown.',
    toDo: AGAIN,
  },
  NOT_FOUND: {
    happened: 'There is nothing by that name.',
    means: 'It was never there, or it is gone.',
    toDo: 'Look whether the id is whole.',
  },
  AT_BEFORE_FIRST: {
    happened: 'The project had not begun at that moment.',
    means: 'There is nothing to show.',
    toDo: 'Choose a later moment.',
  },
  AT_AFTER_LAST: {
    happened: 'That revision is not there yet.',
    means: 'There is nothing to show.',
    toDo: 'Choose an earlier moment, or now.',
  },
  AT_IN_FUTURE: { happened: 'That time has not come.', means: 'There is nothing to show.', toDo: 'Choose an earlier moment, or now.' },
  INVALID_AT: {
    happened: 'That is no moment.',
    means: 'There is nothing to show.',
    toDo: 'Give a revision such as 1200, or a time with its zone.',
  },
  REDACTED: {
    happened: 'What was stored then was redacted.',
    means: 'It is gone for good, because somebody asked for that.',
    toDo: 'Look at another moment.',
  },
  STALE_SAVE: {
    happened: 'Somebody else changed this document since you loaded it.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what it is now, and make your change to that.',
  },
  WRITE_CONFLICT: { happened: 'Others kept changing the same thing.', means: NOTHING_CHANGED, toDo: 'Try again.' },
  SCHEMA_VALIDATION_FAILED: {
    happened: 'The document would not fit the schema of its collection.',
    means: NOTHING_CHANGED,
    toDo: 'Change the value that is named below.',
  },
  UNIQUE_VIOLATION: {
    happened: 'Another document holds this value, and there may be only one.',
    means: NOTHING_CHANGED,
    toDo: 'Choose another value.',
  },
  CORRECTION_BLOCKED: {
    happened: 'Something stands in the way.',
    means: NOTHING_CHANGED,
    toDo: 'Leave out what is named below, or say that it is to be done all the same.',
  },
  ALREADY_UNDONE: { happened: 'This commit was undone before.', means: NOTHING_CHANGED, toDo: 'Look at the last commits.' },
  NOTHING_TO_UNDO: {
    happened: 'This commit did nothing that could be undone.',
    means: NOTHING_CHANGED,
    toDo: 'A publish is not undone: roll it back.',
  },
  APPEND_TOO_LARGE: {
    happened: 'This is too much for one commit.',
    means: NOTHING_CHANGED,
    toDo: 'Do it in parts, by collection.',
  },
  BEHIND: { happened: 'The server is catching up.', means: 'Players play on; what pages show is not ready yet.', toDo: AGAIN },
  BUSY: { happened: 'The server has much to do.', means: NOTHING_CHANGED, toDo: AGAIN },
  RATE_LIMITED: { happened: 'Too many requests came from here.', means: NOTHING_CHANGED, toDo: 'Wait a little.' },
  PAST_TIMEOUT: {
    happened: 'Reading that far back took too long.',
    means: 'What was found so far is kept.',
    toDo: 'Try again: it goes on from where it ended.',
  },
  STORAGE_UNAVAILABLE: {
    happened: 'The server cannot reach its database.',
    means: 'Players cannot play on until it is back.',
    toDo: 'Whoever runs the server has to look at it.',
  },
  PROMOTION_FINDINGS: {
    happened: 'Stored data does not fit what is staged.',
    means: 'Nothing was promoted. Players notice nothing.',
    toDo: 'Read the findings below.',
  },
  PUBLISH_CONFLICT: {
    happened: 'Somebody else published since you looked.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is staged and live now, then decide again.',
  },
  APPROVAL_NEEDED: {
    happened: 'Nobody else has agreed to this yet.',
    means: 'Nothing goes live here without a second person. Players notice nothing.',
    toDo: 'Stage it, and ask for approval on the page Publishes.',
  },
  APPROVAL_PHASE: {
    happened: 'This was decided, or became void, while you looked at it.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is asked for now.',
  },
  PROMOTION_PHASE: {
    happened: 'A promotion is scheduled already, or none is any more.',
    means: NOTHING_CHANGED,
    toDo: 'Look at what is staged and scheduled now.',
  },
  APPROVER_IS_AUTHOR: {
    happened: 'You stand behind a part of this yourself.',
    means: NOTHING_CHANGED,
    toDo: 'Another person has to approve it.',
  },
  NOTHING_TO_APPROVE: {
    happened: 'There is nothing that would go live.',
    means: NOTHING_CHANGED,
    toDo: 'Stage something first.',
  },
  PROJECT_DISABLED: {
    happened: 'This project is switched off.',
    means: 'Nobody plays, and nothing can be read or changed.',
    toDo: 'Whoever runs the server can switch it on.',
  },
};

/** Words for what was refused. What has none is told by the server's own sentence. */
export function noticeOf({ status, code, message }: Refusal): Notice {
  const known = NOTICES[code];
  if (known !== undefined) return known;
  const toDo = status >= 500 ? AGAIN : 'Change that, and try again.';
  return { happened: message, means: NOTHING_CHANGED, toDo };
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
export function addsDetail({ code, message }: Refusal): boolean {
  return NOTICES[code] !== undefined && message !== '' && !['UNREACHABLE', 'SIGNED_OUT'].includes(code);
}

/** The refusal that an answer holds, whatever answered. */
export function refusalOf(status: number, body: unknown): Refusal {
  const envelope: { readonly error?: unknown; readonly message?: unknown } = Object(body);
  const { code, message, requestId, ...details }: Readonly<Record<string, unknown>> = Object(envelope.error);
  const said = typeof message === 'string' ? message : envelope.message;
  return {
    status,
    code: typeof code === 'string' ? code : status === 401 ? 'SIGNED_OUT' : 'UNKNOWN',
    message: typeof said === 'string' ? said : `The server answered with the status ${status}.`,
    ...(typeof requestId === 'string' ? { requestId } : {}),
    details,
  };
}
