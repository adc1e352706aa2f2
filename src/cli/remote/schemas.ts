import { writeSchemas } from '../../folder/schemas.ts';
import { VERSION } from '../../version.ts';

/** Keeps the folder's schemas those of this release. That an editor has less help is no reason for a command to fail. */
export async function keepSchemas(dir: string, { anew }: { readonly anew: boolean } = { anew: false }): Promise<void> {
  await writeSchemas(dir, { release: VERSION, anew }).catch(() => undefined);
}
