import { actionIn, type ChangeSaid, type FieldSaid, fieldSaid } from './publish.ts';

/** What the last publish did to one thing: a definition, or a group or table of game values. */

interface Listed {
  readonly target: string;
  readonly changes: readonly ChangeSaid[];
}

/** What a change did to the thing that is asked about; `null`: nothing. */
type OfThing = (change: ChangeSaid) => readonly FieldSaid[] | null;

export function ofDefinition(kind: string, id: string): OfThing {
  return (change) => (change.kind === kind && (change.id === id || change.id === '*') ? (change.fields ?? []) : null);
}

/** Fields of game values begin with the name of their group or table, which is not said again. */
export function ofValue(name: string): OfThing {
  const before = `${name} › `;
  return ({ kind, action, fields = [], more = 0 }) => {
    if (kind !== 'game-values') return null;
    const own = fields.filter(({ label }) => label === name || label.startsWith(before));
    // Of very many changes a publish names some.
    if (own.length === 0) return action === 'add' || more > 0 ? [] : null;
    return own.map((field) => ({ ...field, label: field.label === name ? '' : field.label.slice(before.length) }));
  };
}

/** The newest publish that changed it, and how; `null`: none of these did. What is live is changed by what went live alone. */
export function lastChange<Publish extends Listed>(publishes: readonly Publish[], target: string, of: OfThing) {
  for (const publish of publishes) {
    if (target === 'live' && publish.target !== 'live') continue;
    for (const change of publish.changes) {
      const fields = of(change);
      if (fields !== null) return { publish, said: saidOf(publish.target, change, fields) };
    }
  }
  return null;
}

function saidOf(target: string, change: ChangeSaid, fields: readonly FieldSaid[]): string {
  const action = actionIn(target, change);
  const [first] = fields;
  if (action === 'add') return 'New';
  if (action !== 'change') return 'Taken back';
  if (first === undefined) return (change.more ?? 0) > 0 ? 'Perhaps, among very many changes:' : 'Changed';
  return fields.length === 1 ? fieldSaid(first) : `${fieldSaid(first)}, and ${fields.length - 1} more`;
}
