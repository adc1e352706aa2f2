import type { Scene } from './scene.ts';

/** Every page of the console with something on it. */

export interface Picture {
  /** Also of its file. */
  readonly name: string;
  /** From the origin on. */
  readonly path: string;
}

export function picturesOf({ projectId, player, loss, before, publish }: Omit<Scene, 'link'>): readonly Picture[] {
  const own: Readonly<Record<string, string>> = {
    activity: '',
    'the box, of a commit': `/find/${loss}`,
    players: '/players',
    player: `/players/${player}`,
    'time line': `/players/${player}/timeline`,
    document: `/players/${player}/documents/players/${player}`,
    'document at two moments': `/players/${player}/documents/players/${player}?a=${before}`,
    restore: `/players/${player}/restore?to=${before}`,
    'who looked at a player': `/players/${player}/looked`,
    'who looked': '/looked',
    publishes: '/publishes',
    'a publish': `/publishes/${publish}`,
    values: '/values',
    'a table of values': '/values/axes?target=next',
    definitions: '/definitions',
    'a definition': '/definitions/endpoint/upgrade-axe',
    'the editor': '/definitions/endpoint/upgrade-axe?show=edit&target=next',
    calls: '/calls',
    'try it out': `/calls/try?slug=upgrade-axe&player=${player}&target=next`,
    economy: '/economy',
    'entries of the economy': '/economy/entries?currency=gold',
    collections: '/collections',
    'a collection': '/collections/players',
    'a record': '/collections/town/market',
    boards: '/boards',
    'a board': '/boards/richest',
    health: '/health',
    people: '/people',
    keys: '/keys',
  };
  const project = `/p/${projectId}`;
  return [
    { name: 'projects', path: '/' },
    ...Object.entries(own).map(([name, path]) => ({ name, path: project + path })),
    { name: 'everybody', path: '/people' },
    { name: 'your account', path: '/account' },
    { name: 'confirm a command line', path: '/confirm' },
  ];
}
