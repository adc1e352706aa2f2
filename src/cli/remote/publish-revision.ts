import { InvalidArgumentError } from 'commander';

/** The revision of a publish that a rollback goes to. */
export function publishRevision(text: string): number {
  if (/^(-1|\d{1,15})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a revision, as `savepoint publishes` lists them, or -1.');
}
