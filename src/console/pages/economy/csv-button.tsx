import { saveFile } from '../../api/files.ts';
import { useProject } from '../../frame/view.ts';
import { Button } from '../../parts/button.tsx';
import { csvOf, fileName, titleInFiles } from '../../words/csv.ts';

interface CsvButtonProps {
  /** What its rows are: `Days`. */
  readonly what: string;
  /** What the file is called, behind the project and before the revision. */
  readonly name: readonly string[];
  /** The revision of the log that the rows show. */
  readonly revision: number;
  readonly head: readonly string[];
  readonly rows: () => readonly (readonly unknown[])[];
}

/** Saves the rows of a table as comma-separated values. The file's name tells the revision, so that it can be read again as it was. */
export function CsvButton({ what, name, revision, head, rows }: CsvButtonProps) {
  const { id, title } = useProject();
  const file = fileName([titleInFiles(title), id, ...name], revision, 'csv');
  return (
    <Button isSmall onClick={() => saveFile(file, [csvOf(head, rows())], 'text/csv')} title={`Saves ${file}`}>
      {what} as CSV
    </Button>
  );
}
