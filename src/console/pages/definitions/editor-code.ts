import { codeOf } from '../../parts/code.ts';

/** The editor of a definition. */
export const EDITOR = codeOf('editor', () => import('./edit.tsx').then(({ EditCard }) => EditCard));
