import type { JsonObject } from '../../../kernel/json.ts';
import type { Finding, Known } from '../../finding.ts';
import type { ListedKind } from '../../kinds.ts';
import { definitionFindings } from './definition.ts';
import { isUnchanged, type Lookup, type LookupResult, recordingLookups } from './lookups.ts';

/**
 * Findings of a definition, cached with it. A push of several commits is decided once for each commit, and validating a large definition
 * takes long. A definition is validated again if something that it refers to has changed.
 */
export function findingsOf(kind: ListedKind, definition: JsonObject, known: Known): readonly Finding[] {
  const cached = cache.get(definition);
  if (cached?.kind === kind && isUnchanged(cached.lookups, known)) return cached.findings;
  const { known: noting, lookups } = recordingLookups(known);
  const findings = definitionFindings(kind, definition, noting);
  cacheFindings(kind, definition, { lookups, findings });
  return findings;
}

interface CachedFindings {
  readonly lookups: ReadonlyMap<Lookup, LookupResult>;
  readonly findings: readonly Finding[];
}

export function cacheFindings(kind: ListedKind, definition: JsonObject, cached: CachedFindings): void {
  cache.set(definition, { kind, ...cached });
}

const cache = new WeakMap<JsonObject, CachedFindings & { readonly kind: ListedKind }>();
