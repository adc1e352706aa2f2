import { COMMANDS_PAGE } from './commands.ts';
import { CREDENTIALS_PAGE, OPENAPI } from './contract.ts';
import { EVENT_SCHEMAS, EVENTS_PAGE } from './events.ts';
import type { GeneratedFile } from './file.ts';
import { SCHEMA_FILES } from './schemas.ts';
import { SETTINGS_PAGE } from './settings.ts';

/** All generated files. A new one is added here. */
export const GENERATED: readonly GeneratedFile[] = [
  SETTINGS_PAGE,
  COMMANDS_PAGE,
  OPENAPI,
  CREDENTIALS_PAGE,
  EVENTS_PAGE,
  ...EVENT_SCHEMAS,
  ...SCHEMA_FILES,
];
