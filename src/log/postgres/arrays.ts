/**
 * Postgres arrays in their binary form. The text form would escape every quote of every JSON text here and undo it there, which
 * costs more than storing it. Layout: dimensions, has-nulls flag, element type, length, lower bound, then length-prefixed elements.
 */
const OID = { int4: 23, int8: 20, json: 114, text: 25, uuid: 2950 } as const;

const HEADER_BYTES = 20;

/** A `text[]` or `json[]` in binary form. */
export function textArray(values: readonly string[], type: 'text' | 'json' = 'text'): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + Buffer.byteLength(value), 0);
  const buffer = header(OID[type], values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    const written = buffer.write(value, at + 4);
    buffer.writeInt32BE(written, at);
    at += 4 + written;
  }
  return buffer;
}

/** An `int4[]` in binary form. */
export function intArray(values: readonly number[]): Buffer {
  const buffer = header(OID.int4, values.length, values.length * 8);
  values.forEach((value, index) => {
    const at = buffer.writeInt32BE(4, HEADER_BYTES + index * 8);
    buffer.writeInt32BE(value, at);
  });
  return buffer;
}

/** An `int8[]` in binary form. */
export function bigintArray(values: readonly number[]): Buffer {
  const buffer = header(OID.int8, values.length, values.length * 12);
  values.forEach((value, index) => {
    const at = buffer.writeInt32BE(8, HEADER_BYTES + index * 12);
    buffer.writeBigInt64BE(BigInt(value), at);
  });
  return buffer;
}

/** The texts must be UUIDs. */
export function uuidArray(values: readonly string[]): Buffer {
  const buffer = header(OID.uuid, values.length, values.length * 20);
  values.forEach((value, index) => {
    const at = buffer.writeInt32BE(16, HEADER_BYTES + index * 20);
    buffer.write(value.replaceAll('-', ''), at, 'hex');
  });
  return buffer;
}

function header(type: number, length: number, bytes: number): Buffer {
  // In this format an empty array has no dimension.
  if (length === 0) return int32s(0, 0, type);
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  int32s(1, 0, type, length, 1).copy(buffer);
  return buffer;
}

function int32s(...values: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, index) => {
    buffer.writeInt32BE(value, index * 4);
  });
  return buffer;
}
