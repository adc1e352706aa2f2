import type { FileHandle } from 'node:fs/promises';
import { stopBeforeEnd } from '../../infra/postgres/process-exit.ts';
import { refusal } from '../kernel/errors.ts';

interface WholeFileOptions {
  readonly out: string;
  /** Replaces the file that is there. */
  readonly force?: boolean;
}

/** Writes to a temporary file and renames it to `out` when it is complete. So a file of that name is always whole. */
export async function openWhole<T>({ out, force }: WholeFileOptions, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const { open, rename, rm, stat } = await import('node:fs/promises');
  const there = await stat(out).catch(() => null);
  // Renaming over a device, such as /dev/stdout, would replace it for every program.
  if (there !== null && !there.isFile()) throw refusal('VALIDATION_FAILED', `${out} is not a file; name a file`);
  if (force !== true && there !== null) throw refusal('VALIDATION_FAILED', `${out} exists already; --force replaces it`);
  // The temporary file is new: an existing one might be readable by others, or belong to another export.
  const part = `${out}.${process.pid}.part`;
  await rm(part, { force: true });
  const file = await open(part, 'wx', 0o600);
  const ended = stopBeforeEnd(() => rm(part, { force: true }));
  try {
    const done = await work(file);
    await file.sync();
    await file.close();
    await rename(part, out);
    return done;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  } finally {
    ended();
  }
}
