import { getRouteApi, Link } from '@tanstack/react-router';
import { useView } from '../../frame/view.ts';
import { Page } from '../../parts/page.tsx';
import { DocumentParts } from '../player/document.tsx';

const route = getRouteApi('/signed-in/p/$project/collections/$collection/$key');

/** A document of a collection that all share. */
export function RecordPage() {
  const { collection, key } = route.useParams();
  const { project } = useView();
  return (
    <Page
      name={`${collection}/${key}`}
      title={key}
      sub={
        <Link to="/p/$project/collections/$collection" params={{ project, collection }}>
          All of {collection}
        </Link>
      }
    >
      <DocumentParts asked={{ collection, key }} />
    </Page>
  );
}
