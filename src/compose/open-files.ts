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

export interface ConnectionBounds {
  readonly connections: number;
  readonly streams: number;
}

/** Connections of clients, and streams among them, that so many files leave room for. */
export function connectionBounds(limit: string | null): ConnectionBounds {
  const files = Number(limit ?? Number.NaN);
  if (Number.isNaN(files)) return { connections: Number.POSITIVE_INFINITY, streams: Number.POSITIVE_INFINITY };
  const connections = Math.max(files - OWN_FILES, Math.ceil(files / 2));
  return { connections, streams: Math.floor(connections * STREAM_SHARE) };
}
