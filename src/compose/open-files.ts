/** How many files and connections this process may open at once. */

interface ProcessReport {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | string } };
}

/** The soft limit as the system names it, `unlimited` included; `null`: it is not known here. */
export function openFilesLimit(): string | null {
  const soft = (process.report.getReport() as ProcessReport).userLimits?.open_files?.soft;
  return soft === undefined ? null : String(soft);
}

/** Files that are kept for the database, the log and whatever else is no connection of a client. */
const OWN_FILES = 128;
/** Share of the rest that streams may take: they stay open, and other requests must still get in. */
const STREAM_SHARE = 3 / 4;
/** Share of the rest that connections to the console may take: whoever reaches its port alone must not keep games out. */
const CONSOLE_SHARE = 1 / 8;

export interface ConnectionBounds {
  readonly connections: number;
  readonly toConsole: number;
  readonly streams: number;
}

/** Connections of clients, to the console beside them, and streams among both, that so many files leave room for. */
export function connectionBounds(limit: string | null, hasConsole: boolean): ConnectionBounds {
  const files = Number(limit ?? Number.NaN);
  const unbounded = Number.POSITIVE_INFINITY;
  if (Number.isNaN(files)) return { connections: unbounded, toConsole: unbounded, streams: unbounded };
  const all = Math.max(files - OWN_FILES, Math.ceil(files / 2));
  const toConsole = hasConsole ? Math.ceil(all * CONSOLE_SHARE) : 0;
  return { connections: all - toConsole, toConsole, streams: Math.floor((all - toConsole) * STREAM_SHARE) };
}
