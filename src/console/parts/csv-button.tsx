import { saveFile } from '../api/files.ts';
import { csvOf, fileName } from '../words/csv.ts';
import { Button } from './button.tsx';

interface CsvButtonProps {
  /** What the file is called, besides the revision. */
  readonly name: readonly string[];
  /** The revision of the log that the rows show. */
  readonly revision: number;
  readonly head: readonly string[];
  readonly rows: () => readonly (readonly unknown[])[];
}

/** Saves the rows of a table as comma-separated values. The file's name tells the revision, so that it can be read again as it was. */
export function CsvButton({ name, revision, head, rows }: CsvButtonProps) {
  const file = fileName(name, revision, 'csv');
  return (
    <Button isSmall onClick={() => saveFile(file, [csvOf(head, rows())], 'text/csv')} title={`Saves ${file}`}>
      CSV
    </Button>
  );
}
