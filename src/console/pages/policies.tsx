import type { Policy } from '../api/acts.ts';
import { Choices } from '../parts/field.tsx';

const POLICIES = [
  { value: 'give', name: 'Give it anew', means: '– nobody loses anything' },
  { value: 'reverse', name: 'Take back from those who got it since', means: '– what is left of it' },
] as const satisfies readonly { readonly value: Policy; readonly name: string; readonly means: string }[];

/** From whom it comes what a correction gives. It is asked where somebody may have to pay. */
export function WhoPays({ policy, choose }: { readonly policy: Policy; readonly choose: (policy: Policy) => void }) {
  return <Choices label="Who pays for it" value={policy} choose={choose} options={POLICIES} />;
}
