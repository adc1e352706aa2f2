import { createContext, type ReactNode, useContext } from 'react';

/** What players are called, by their ids, where an answer names them. */

export type Called = ReadonlyMap<string, string>;

const Names = createContext<Called>(new Map());

/** Below it players are shown by these names, and the others by their ids. */
export function CalledSo({ names, children }: { readonly names: Called; readonly children: ReactNode }) {
  return <Names value={names}>{children}</Names>;
}

/** What a player is called here; `undefined`: no answer says. */
export function useCalled(player: string): string | undefined {
  return useContext(Names).get(player);
}

/** A player's name, or the id, where nothing leads to the player. */
export function PlayerName({ player }: { readonly player: string }) {
  return <bdi title={player}>{useCalled(player) ?? player}</bdi>;
}
