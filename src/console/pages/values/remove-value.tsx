import type { Held } from '../../api/value-changes.ts';
import type { Sheet } from '../../words/sheet.ts';
import { placeOfValue } from '../../words/written-values.ts';
import { HolderDialog } from './holder.tsx';

/** Removes a group or table with all of its rows. */
export function RemoveValueDialog({ sheet, close }: { readonly sheet: Sheet; readonly close: () => void }) {
  const changeOf = ({ written }: Held) => {
    const path = placeOfValue(written, sheet);
    return path === null ? `There is no such ${sheet.kind} there.` : { does: 'remove' as const, path };
  };
  return (
    <HolderDialog
      title={`Remove ${sheet.name}?`}
      sub={`Endpoints that read it fail from then on. The history keeps it, and a roll back brings it again.`}
      collection={sheet.collection}
      value={sheet.id}
      verb="Remove it"
      look="bad"
      changeOf={changeOf}
      close={close}
    />
  );
}
