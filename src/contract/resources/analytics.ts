import { z } from 'zod';
import { numberThat } from './member.ts';

/** The project setting `analytics`: which reports of games are accepted, and how long they are kept. */

const MAX_DAYS = 3650;
const DEFAULT_DAYS = 90;

function switched(initial: boolean, description: string) {
  return z.boolean().default(initial).meta({ description });
}

/** Whole days only: a part of a day would become 0, which means for ever. */
const days = numberThat(z.int().min(0)).transform((value) => Math.min(value, MAX_DAYS));

/** The setting's members, with their defaults. Clients may store others beside them. */
export const analytics = z.object({
  enabled: switched(true, '`false`: nothing is taken but failed saves.'),
  captureSessions: switched(true, 'Players who come, go and are there.'),
  captureWarnings: switched(true, 'Warnings.'),
  captureErrors: switched(true, 'Errors.'),
  captureLocalWarnings: switched(true, 'Warnings of editors (`x-ns-client-type: editor`).'),
  captureLocalErrors: switched(true, 'Errors of editors.'),
  captureEndpointDiagnostics: switched(true, 'What games, or this server, tell of endpoint calls.'),
  captureEndpointCalls: switched(false, 'This server records the endpoint calls of players.'),
  managedLibraryEvents: switched(true, 'What client libraries tell by themselves: types `network_storage…` and `library.…`.'),
  managedPerformance: switched(true, 'Events of the category `performance`.'),
  managedNetwork: switched(true, 'Events of the category `network`.'),
  managedVoice: switched(true, 'Events of the category `voice`.'),
  managedInputFocus: switched(true, 'Events of the category `input`.'),
  managedScene: switched(true, 'Events of the category `scene`.'),
  managedRuntime: switched(true, 'Events of the category `runtime`.'),
  managedRevision: switched(true, 'Events of the category `revision`.'),
  managedSystemInfo: switched(true, 'Events of the category `system`.'),
  retainErrorStacks: switched(true, 'The stacks of warnings and errors are kept.'),
  allowedEventTypes: z
    .array(z.string())
    .optional()
    .meta({ description: 'The types of events that a game may make up; none is taken beside them. Left out: all are.' }),
  retentionDays: days
    .default(DEFAULT_DAYS)
    .meta({ description: `Whole days for which rows are kept, at most ${MAX_DAYS}; 0: for ever. ${DEFAULT_DAYS} when left out.` }),
});

export type AnalyticsSetting = z.output<typeof analytics>;
