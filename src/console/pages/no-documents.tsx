import { Empty } from '../parts/page.tsx';

/** In place of documents, for whose role may not read them. */
export function NoDocuments() {
  return (
    <Empty title="Your role does not read documents">An owner can give you a role with the permission “collections: x” or “history”.</Empty>
  );
}
