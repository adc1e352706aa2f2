import type { JsonObject } from '../../../kernel/json.ts';
import type { ListedKind } from '../kinds.ts';
import { definitionFindings } from './definition.ts';
import type { Finding, Known } from './finding.ts';
import { type Lookup, type LookupResult, recordingLookups, stillHolds } from './lookups.ts';

/**
 * Findings of a definition, cached with it. A push of several commits is decided once for each commit, and a large definition takes long to
 * validate. It is validated again if something that it refers to has changed.
 */
export function findingsOf(kind: ListedKind, definition: JsonObject, known: Known): readonly Finding[] {
  const held = kept.get(definition);
  if (held?.kind === kind && stillHolds(held.asked, known)) return held.findings;
  const { known: noting, asked } = recordingLookups(known);
  const findings = definitionFindings(kind, definition, noting);
  keepFindings(kind, definition, { asked, findings });
  return findings;
}

interface Judged {
  readonly asked: ReadonlyMap<Lookup, LookupResult>;
  readonly findings: readonly Finding[];
}

export function keepFindings(kind: ListedKind, definition: JsonObject, judged: Judged): void {
  kept.set(definition, { kind, ...judged });
}

const kept = new WeakMap<JsonObject, Judged & { readonly kind: ListedKind }>();
