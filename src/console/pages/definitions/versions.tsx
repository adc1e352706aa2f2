import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { definitionsQuery } from '../../api/definitions.ts';
import { useView } from '../../frame/view.ts';
import { Beside } from '../../parts/beside.tsx';
import { Failed } from '../../parts/notice.tsx';
import { Card, CardBody, Empty, Waiting } from '../../parts/page.tsx';
import type { DefinitionKind } from '../../words/definition.ts';

interface VersionsProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  readonly a: string;
  /** Left out: now. */
  readonly b: string | undefined;
}

/** The texts of two moments beside one another. */
export function Versions({ kind, id, a, b }: VersionsProps) {
  const view = useView();
  const [one, other] = [
    useQuery(definitionsQuery({ ...view, at: a }, kind)),
    useQuery(definitionsQuery({ ...view, at: b ?? view.at }, kind)),
  ];
  const textOf = (read: typeof one) => read.data?.definitions.find((each) => each.id === id)?.text ?? '';
  const failed = one.error ?? other.error;
  return (
    <Card
      title={`After publish ${a}, and ${b === undefined ? 'now' : `after ${b}`}`}
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
          sides={['Before', 'After']}
          before={textOf(one)}
          after={textOf(other)}
          same={<Empty title="The text is the same">What differs is not in the text.</Empty>}
        />
      )}
    </Card>
  );
}
