import { allows } from '../../domain/project/permissions.ts';
import { type Json, type JsonObject, printOnce } from '../../kernel/json.ts';
import { grounds, requireRevision } from '../access.ts';
import type { App } from '../app.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';

/** Game values and the rate limits in force (runtime-storage 17, 11.3). Both come out of the definitions, so no view has to catch up. */
export function createValues(context: AppContext): App['values'] {
  return {
    async read(caller, target) {
      const project = await projectOf(context, caller);
      const { definitions, key } = grounds(project.authority, project.definitions, caller, target);
      requireRevision(caller, 'read');
      const full = caller.isSecret && allows(key, 'collections', 'r');
      const values = full ? definitions.values.full : definitions.values.shared;
      // Printed once for all who ask: every player does at the start, and large tables take tens of milliseconds.
      return { ...positioned(context, project, caller), body: `{"ok":true,${printOnce(values).slice(1)}` };
    },

    async rateLimits(caller, target) {
      const project = await projectOf(context, caller);
      const { definitions } = grounds(project.authority, project.definitions, caller, target);
      const endpointRateLimits: Record<string, Json> = {};
      for (const { id, definition } of definitions.endpoints) {
        const limits = definition['rateLimits'] ?? definition['rateLimit'];
        if (limits !== undefined) endpointRateLimits[id] = limits;
      }
      const collections: Record<string, Json> = {};
      for (const { id, definition } of definitions.collections) collections[id] = collectionLimits(definition);
      const body = { ok: true, projectId: caller.projectId, source: 'store', endpointRateLimits, rules: definitions.rawRules, collections };
      return { ...positioned(context, project, caller), body };
    },
  };
}

function collectionLimits(definition: JsonObject): JsonObject {
  return { rateLimits: definition['rateLimits'] ?? null, rateLimitAction: definition['rateLimitAction'] ?? null };
}
