import { v5 as uuidv5 } from 'uuid';
import type { StateReader } from '../../../src/app/ports/state-reader.ts';
import type { Project } from '../../../src/app/project/project.ts';
import type { StateChange, Version } from '../../../src/app/project/version.ts';
import { kindOf, type Subject, subjectsOf } from '../../../src/domain/subjects.ts';
import { hashOf, NO_HASH, seal } from '../../../src/log/chain.ts';
import { type Log, LogUnavailable, type NewEvent, OutcomeUnknown } from '../../../src/log/port.ts';
import { logWith } from '../../support/log-with.ts';
import type { Plant } from './node.ts';

/**
 * Faults that the design excludes, made by wrapping the parts of a node: production code has no hook for them. Each names the rule that it
 * breaks.
 */

/** "Every application of an event makes a new version": here one of a revision, stored or expected, is the one that had it before. */
export const predictedVersions: Plant = {
  project({ set }: Project) {
    let next = set.head;
    const seen = new WeakSet<Version>();
    const byRevision = new Map<string, Version>();
    const earlier = (subject: Subject, version: Version, revision: number) => {
      const name = `${subject} ${revision}`;
      const known = byRevision.get(name) ?? version;
      byRevision.set(name, known);
      return known === version ? known : Object.assign(known, version);
    };
    const { speculate, dropSpeculation, fold } = set;
    set.dropSpeculation = () => {
      next = set.head;
      dropSpeculation.call(set);
    };
    set.speculate = (effects: readonly StateChange[]) => {
      next = Math.max(next, set.head) + effects.filter(([subject]) => kindOf(subject) === 'document').length;
      for (const effect of effects as [Subject, Version][]) {
        if (seen.has(effect[1])) continue;
        effect[1] = earlier(...effect, next);
        seen.add(effect[1]);
      }
      speculate.call(set, effects);
    };
    set.fold = (event, size) => {
      fold.call(set, event, size);
      for (const subject of subjectsOf(event)) {
        const entry = set.peek(subject);
        if (entry?.version && set.durable(subject)) entry.version = earlier(subject, entry.version, event.revision);
      }
    };
  },
};

/** "Below the horizon: load again": here such a row passes for one at the horizon. */
export const oldRows: Plant = {
  reader(reader: StateReader, open): StateReader {
    return {
      ...reader,
      load: async (project, subjects) => {
        const { revision, states } = await reader.load(project, subjects);
        return { revision: Math.max(revision, open()?.set.horizon ?? -1), states };
      },
    };
  },
};

/** "A command without events that read speculation waits for it": here it is answered at once. */
export const hastyRefusals: Plant = {
  project({ set }: Project) {
    const { speculate } = set;
    set.speculate = (effects: readonly StateChange[]) => {
      for (const [, version] of effects) version.durable = true;
      speculate.call(set, effects);
    };
  },
};

/** "Unknown outcome: nobody joins, leaves or is decided again": here an unknown outcome passes for a failure. */
export const reformedGroups: Plant = {
  log: (log: Log): Log =>
    logWith(log, {
      append: async (stream, expected, events) => {
        try {
          return await log.append(stream, expected, events);
        } catch (error) {
          throw error instanceof OutcomeUnknown ? new LogUnavailable(error.message) : error;
        }
      },
    }),
};

/** "A group that is formed anew gets new ids": here an event of a command has the same id at every revision. */
export const reusedIds: Plant = {
  log: (log: Log): Log =>
    logWith(log, {
      append: async (stream, expected, events) => {
        const [before] = typeof expected === 'number' ? await log.read(stream, { from: expected, limit: 1, direction: 'forwards' }) : [];
        return log.append(stream, expected, renamed(before ? hashOf(before.metadata) : null, events));
      },
    }),
};

/** "A command that stores nothing asks the log for its end first": here the log tells of nothing. */
export const unaskedLog: Plant = {
  log: (log: Log): Log => logWith(log, { head: async () => null }),
};

function renamed(previousHash: string | null, events: readonly NewEvent[]): readonly NewEvent[] {
  let hash = previousHash ?? NO_HASH;
  return events.map((event) => {
    const { seal: _sealed, ...metadata } = JSON.parse(event.metadata);
    const id = uuidv5(`${metadata.commandId}/${metadata.left ?? 0}`, uuidv5.URL);
    const sealed = seal(hash, { ...event, id, metadata: JSON.stringify(metadata) });
    hash = sealed.hash;
    return sealed.event;
  });
}
