import { useQuery } from '@tanstack/react-query';
import type { Policy } from '../api/corrections.ts';
import { collectionsQuery } from '../api/queries.ts';
import { useMay, useView } from '../frame/view.ts';
import { Choices } from '../parts/field.tsx';

type Policies = readonly { readonly value: Policy; readonly name: string; readonly means: string }[];

/** How each act begins comes first. */
const POLICIES: Readonly<Record<'undo' | 'restore', Policies>> = {
  undo: [
    { value: 'reverse', name: 'Take it back from whoever got it', means: '– what is left of it' },
    { value: 'give', name: 'Nobody', means: '– what was lost is given anew, and what was got stays' },
  ],
  restore: [
    { value: 'give', name: 'Nobody', means: '– what was lost is given anew' },
    { value: 'reverse', name: 'Take it back from those who got it since', means: '– what is left of it' },
  ],
};

interface WhoPaysProps {
  readonly of: 'undo' | 'restore';
  readonly policy: Policy;
  readonly choose: (policy: Policy) => void;
}

/** From whom it comes what a correction gives. It is asked where somebody may have to pay. */
export function WhoPays({ of, policy, choose }: WhoPaysProps) {
  return <Choices label="Who pays for it" value={policy} choose={choose} options={POLICIES[of]} />;
}

/** Collections whose documents are no player's, as far as the person sees them. */
export function useShared(): readonly string[] {
  const { data = [] } = useQuery({ ...collectionsQuery(useView()), enabled: useMay()('collections', 'r') });
  return data.filter(({ collectionType }) => collectionType === 'global').map(({ id }) => id);
}
