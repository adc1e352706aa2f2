import { failure, type Result, success } from './errors.ts';
import type { JsonCodec } from './options.ts';

/** The JSON text of a value. Refuses what JSON cannot hold, such as NaN, which would arrive as null. */
export function jsonText(value: unknown, codec?: JsonCodec): Result<string> {
  try {
    return success(codec ? codec.stringify(value) : JSON.stringify(value, finite));
  } catch (cause) {
    return failure('INVALID_ARGUMENT', `This cannot be sent as JSON: ${String(cause)}`, { cause });
  }
}

function finite(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}`);
  return value;
}
