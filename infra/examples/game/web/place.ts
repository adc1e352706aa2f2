/** Where the game is played. vite.config.ts puts it into the page. */
export interface Place {
  /** The node's address; `null`: the page's own origin passes requests on to it. */
  readonly url: string | null;
  readonly projectId: string;
  readonly publicKey: string;
  readonly publishTarget: 'live' | 'next';
}

declare global {
  const SAVEPOINT: Place;
}
