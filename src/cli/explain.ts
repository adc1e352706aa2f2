import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { remedyOf } from '../compose/remedies.ts';
import { ConfigProblem } from '../config/config.ts';
import { FolderProblem } from '../folder/problem.ts';
import { RemoteRefusal, RemoteUnreachable } from '../folder/refusal.ts';
import { Refusal } from '../kernel/errors.ts';
import { TwoHistories } from '../log/copy/copy.ts';
import { FileProblem } from '../log/file/parts.ts';
import { AppendTooLarge, LogUnavailable, OutcomeUnknown } from '../log/port.ts';

/** Expected failures. Their message says what to do, and a stack would only hide it. */
const EXPECTED_ERRORS = [
  ...[DatabaseProblem, ConfigProblem, TwoHistories, FileProblem, AppendTooLarge, LogUnavailable, OutcomeUnknown],
  ...[FolderProblem, RemoteUnreachable],
];

const PORT_CURE = 'This user may not: choose a --port above 1023, or give it the right.';

const KEY_CURE =
  'The secret key is that of SAVEPOINT_SECRET_KEY, else of savepoint.credentials.json in the folder, else what `savepoint login` has kept; ' +
  '`savepoint key create PROJECT` on the server makes one.';

const REVEAL_CURE = 'A command that reads what players have takes it as --reveal REASON.';

/** The code of a failure, for programs: that of a refusal, or of an error of the system or of Postgres. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== '' ? error.code : 'FAILED';
}

/** Explains a failure: what is wrong and what to do. A stack is shown only for bugs, and only on request. */
export function explain(error: unknown): string {
  if (error instanceof Error && EXPECTED_ERRORS.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof RemoteRefusal && error.code === 'UNAUTHORIZED') return `${error.message} (UNAUTHORIZED). ${KEY_CURE}`;
  if (error instanceof RemoteRefusal && error.code === 'REVEAL_NEEDED') return `${error.message} (REVEAL_NEEDED). ${REVEAL_CURE}`;
  if (error instanceof Refusal) return `${error.message} (${error.code})`;
  if (!(error instanceof Error)) return String(error);
  const cure = remedyOf(error);
  if (codeOf(error) === 'EACCES' && 'syscall' in error && error.syscall === 'listen') return `${error.message}. ${PORT_CURE}`;
  if (cure !== undefined) return `${error.message}. ${cure}`;
  if ('syscall' in error) return error.message;
  return process.env['SAVEPOINT_DEBUG']
    ? (error.stack ?? error.message)
    : `${error.message || error.name} (set SAVEPOINT_DEBUG=1 for the details)`;
}
