import { z } from 'zod';
import { numberThat } from './member.ts';

/** What a project may store and report: whole numbers; 0 means unlimited. The operator sets them; managers see them beside the settings. */

function quota(description: string) {
  return numberThat(z.number()).exactOptional().meta({ description });
}

export const quotas = z.object({
  eventsPerDay: quota('Events of its log in a UTC day.'),
  documents: quota('Documents over all collections and spaces, including records of global collections.'),
  bytes: quota('UTF-8 bytes of their texts.'),
  telemetryPerMinute: quota('Telemetry of players that one process stores in a minute.'),
});

/** Every quota. */
export type Quotas = Readonly<Required<z.output<typeof quotas>>>;
