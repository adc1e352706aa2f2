import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { definitionsQuery } from '../../api/definitions.ts';
import type { View } from '../../api/view.ts';
import { useView } from '../../frame/view.ts';
import { Beside } from '../../parts/beside.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import type { DefinitionKind } from '../../words/definition.ts';

interface VersionsProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** `live` or `next`, or a moment of what is looked at. */
  readonly a: string;
  /** Left out: now. */
  readonly b: string | undefined;
}

/** The texts of two moments, or of live and next, beside one another. */
export function Versions({ kind, id, a, b }: VersionsProps) {
  const view = useView();
  const [before, after] = [sideOf(view, a), sideOf(view, b)];
  const [one, other] = [useQuery(definitionsQuery(before.view, kind)), useQuery(definitionsQuery(after.view, kind))];
  const textOf = (read: typeof one) => read.data?.definitions.find((each) => each.id === id && each.state !== 'removed')?.text.whole ?? '';
  const failed = one.error ?? other.error;
  return (
    <Card
      title={`${before.name}, and ${after.name.toLowerCase()}`}
      actions={
        <Link to="." search={(search: object) => ({ ...search, a: undefined, b: undefined })}>
          Back
        </Link>
      }
    >
      {(one.isPending || other.isPending) && failed === null && <Waiting what="both texts" />}
      {failed !== null && (
        <CardBody>
          <Failed error={failed} />
        </CardBody>
      )}
      {one.isSuccess && other.isSuccess && (
        <Beside
          name="Both texts"
          sides={[before.name, after.name]}
          before={textOf(one)}
          after={textOf(other)}
          same={<Empty title="The text is the same">What differs is not in the text.</Empty>}
        />
      )}
    </Card>
  );
}

function sideOf(view: View, named: string | undefined): { readonly view: View; readonly name: string } {
  if (named === 'live' || named === 'next') return { view: { ...view, target: named }, name: named === 'live' ? 'Live' : 'Next' };
  return named === undefined ? { view, name: 'Now' } : { view: { ...view, at: named }, name: `After publish ${named}` };
}
