import { ofKind } from '../api/reveal.ts';
import { useRefresh } from '../frame/acting.ts';
import { useMay } from '../frame/view.ts';
import { Card, CardBody } from '../parts/page.tsx';
import { RevealButton } from './revealing.tsx';

interface LookAmongPersonalProps {
  readonly held: string;
  /** Fields that were not looked in. */
  readonly fields: readonly { readonly collection: string; readonly field: string }[];
}

/** Whether somebody has a personal value is told to whoever may know it, for a reason. */
export function LookAmongPersonal({ held, fields }: LookAmongPersonalProps) {
  const mayDo = useMay();
  const refresh = useRefresh();
  if (fields.length === 0) return null;
  const names = fields.map(({ collection, field }) => `${field} of ${collection}`).join(', ');
  return (
    <Card
      title="Personal values were not looked in"
      actions={<RevealButton of={ofKind('held', held)} whose="value" again={() => void refresh()} name="Look there, too…" />}
    >
      <CardBody>
        {names}: whether somebody has this value would tell it.{' '}
        {mayDo('reveal', 'r') ? 'You may look, and say why.' : 'Support may look, and says why.'}
      </CardBody>
    </Card>
  );
}
