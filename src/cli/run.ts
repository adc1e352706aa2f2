import { CommanderError } from 'commander';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { ConfigProblem } from '../config/config.ts';
import { Refusal } from '../kernel/errors.ts';
import { tell } from './context.ts';
import { createProgram } from './program.ts';

/** Runs the words of a command line, with the process's exit code: 0 done, 1 refused or failed (and `verify` found something), 2 wrong usage. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      tell(`savepoint: ${explain(error)}`);
      process.exitCode = 1;
    }
  }
}

/** A failure in words: what was wrong and what to do. A stack is shown only for what is a fault of ours, and only on request. */
function explain(error: unknown): string {
  if (error instanceof DatabaseProblem || error instanceof ConfigProblem) return error.message;
  if (error instanceof Refusal) return `${error.message} (${error.code})`;
  if (!(error instanceof Error)) return String(error);
  if (isSystemError(error)) return systemMessage(error);
  return process.env['SAVEPOINT_DEBUG']
    ? (error.stack ?? error.message)
    : `${error.message || error.name} (set SAVEPOINT_DEBUG=1 for the details)`;
}

function isSystemError(error: Error): error is NodeJS.ErrnoException {
  return 'code' in error && 'syscall' in error;
}

function systemMessage(error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE') return `${error.message}. Another program listens there: choose another --port, or stop that program.`;
  if (error.code === 'ECONNREFUSED') return `${error.message}. Nothing answers there: check DATABASE_URL and that the database runs.`;
  return error.message;
}
