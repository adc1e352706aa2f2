/** Where the game is played. vite.config.ts puts it into the page. */
export interface Place {
  readonly url: string;
  readonly projectId: string;
  readonly publicKey: string;
  readonly publishTarget: 'live' | 'next';
}

declare global {
  const SAVEPOINT: Place;
}
