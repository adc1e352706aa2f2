import type { Log } from '../../src/log/port.ts';

/** A log that is changed in some of what it does. */
export function logWith(log: Log, changes: Partial<Log>): Log {
  return {
    append: (stream, expected, events) => log.append(stream, expected, events),
    read: (stream, range) => log.read(stream, range),
    head: (stream) => log.head(stream),
    truncate: (stream, before) => log.truncate(stream, before),
    end: () => log.end(),
    close: () => log.close(),
    follow: (options) => log.follow(options),
    ...changes,
  };
}
