import { PLAYER_TEMPLATE_NAMES } from '../../domain/wire-names.ts';

/** Built-in names that a step's id should not hide. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...['input', 'values', 'playerKey', 'now', 'projectId', 'userId'],
  ...PLAYER_TEMPLATE_NAMES,
]);
