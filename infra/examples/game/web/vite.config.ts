import { existsSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vite';
import type { Place } from './place.ts';

/** `savepoint dev` writes this file. Its secret key must not get into the page. */
const CREDENTIALS = new URL('../savepoint.credentials.json', import.meta.url);

function placeOf(isDev: boolean): Place & { readonly url: string } {
  const { VITE_SAVEPOINT_URL: url, VITE_SAVEPOINT_PROJECT: projectId, VITE_SAVEPOINT_KEY: publicKey } = process.env;
  // In development the page plays what `savepoint dev` has staged.
  const publishTarget = isDev ? 'next' : 'live';
  if (url && projectId && publicKey) return { url, projectId, publicKey, publishTarget };
  if (!existsSync(CREDENTIALS))
    throw new Error('There is no savepoint.credentials.json yet: start `savepoint dev` in the folder above first');
  const made: Place & { readonly url: string } = JSON.parse(readFileSync(CREDENTIALS, 'utf8'));
  return { url: made.url, projectId: made.projectId, publicKey: made.publicKey, publishTarget };
}

export default defineConfig(({ command, isPreview }) => {
  const isDev = command === 'serve' && isPreview !== true;
  const place = placeOf(isDev);
  return {
    define: { SAVEPOINT: JSON.stringify(isDev ? { ...place, url: null } : place) },
    // Pages of other devices reach the node through this server, which `npm run phone` opens to the network.
    server: { port: 5173, strictPort: true, proxy: { '/v3': { target: place.url, changeOrigin: true } } },
    // The node that `savepoint dev` starts accepts built pages from this port only.
    preview: { port: 4173, strictPort: true },
    // The package may be a link to a folder beside the page.
    optimizeDeps: { include: ['savepoint/client'] },
  };
});
