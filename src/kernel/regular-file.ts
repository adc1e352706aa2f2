import { stat } from 'node:fs/promises';

/**
 * Whether there is something else than a regular file at this path, such as a pipe. To open a pipe is to wait for whoever writes to it, in
 * a thread that the end of the process waits for; and what reads a file twice gets nothing the second time.
 */
export async function isOtherThanFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile();
}
