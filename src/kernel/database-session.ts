/**
 * What statements rest on, whatever a database or its roles set: exact doubles, NULL in lists, times in UTC, texts as written. Every pool
 * that reads or writes more than the log sends it on each connection.
 */
export const SESSION_SETTINGS = {
  extra_float_digits: '1',
  array_nulls: 'on',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
} as const;

export const SESSION = Object.entries(SESSION_SETTINGS)
  .map(([name, value]) => `SET ${name} = ${name === 'DateStyle' ? value : `'${value}'`}`)
  .join('; ');
