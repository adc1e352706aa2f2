import type { Projection } from './batch.ts';
import { access } from './models/access/projection.ts';
import { alarms } from './models/alarms/projection.ts';
import { authority } from './models/authority/projection.ts';
import { corrections } from './models/corrections/projection.ts';
import { definitions } from './models/definitions/projection.ts';
import { documents } from './models/documents/projection.ts';
import { economy } from './models/economy/projection.ts';
import { flags } from './models/flags/projection.ts';
import { guests } from './models/guests/projection.ts';
import { idempotency } from './models/idempotency/projection.ts';
import { leaderboards } from './models/leaderboards/projection.ts';
import { ledger } from './models/ledger/projection.ts';
import { limits } from './models/limits/projection.ts';
import { pages } from './models/pages/projection.ts';
import { publishes } from './models/publishes/projection.ts';
import { records } from './models/records/projection.ts';
import { releases } from './models/releases/projection.ts';
import { saveRecords } from './models/save_records/projection.ts';
import { subjects } from './models/subjects/projection.ts';
import { uniques } from './models/uniques/projection.ts';
import type { ProjectionName } from './tables.ts';

/** Every read model. The derived ones come last, because they read the rows of `documents`. */
export const PROJECTIONS: readonly Projection[] = [
  documents,
  subjects,
  limits,
  idempotency,
  saveRecords,
  pages,
  definitions,
  authority,
  access,
  guests,
  uniques,
  corrections,
  alarms,
  releases,
  ledger,
  records,
  publishes,
  flags,
  economy,
  leaderboards,
];

export const PROJECTION_NAMES: readonly ProjectionName[] = PROJECTIONS.map(({ name }) => name);
export const STATE_TABLES: readonly Projection[] = PROJECTIONS.filter(({ kind }) => kind === 'state');
export const VIEWS: readonly Projection[] = PROJECTIONS.filter(({ kind }) => kind === 'view');
export const STATE_NAMES: readonly ProjectionName[] = STATE_TABLES.map(({ name }) => name);
export const VIEW_NAMES: readonly ProjectionName[] = VIEWS.map(({ name }) => name);

/** Telemetry has tables of its own, and its own ways to fill, rebuild and verify them: see models/telemetry. */
export const TELEMETRY: ProjectionName = 'telemetry';

/** Everything that `rebuild` can build. */
export const REBUILDABLE: readonly ProjectionName[] = [...PROJECTION_NAMES, TELEMETRY];

export function isProjectionName(name: string): name is ProjectionName {
  return REBUILDABLE.some((known) => known === name);
}
