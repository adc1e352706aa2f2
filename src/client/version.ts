/** Versions: this library's own, and the oldest server that it is made for. */

/** The version of this library, in every request and report. It says nothing about the game's. */
export const LIBRARY_VERSION = '0.1.0';

/** The oldest server that this library works with. What came later is asked for by `client.supports`. */
export const MIN_SERVER_VERSION = '0.1.0';

/** Whether a version is older than another. */
export function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
