import { writeSchemas } from '../../folder/schemas.ts';
import { VERSION } from '../../version.ts';

/** Updates the folder's schemas to this release. A failure is ignored: editors have less help, but the command can do its work. */
export async function keepSchemas(dir: string, { anew }: { readonly anew: boolean } = { anew: false }): Promise<void> {
  await writeSchemas(dir, { release: VERSION, anew }).catch(() => undefined);
}
