import type { ProjectEvent } from '../events.ts';
import type { GuestName, GuestState } from '../states.ts';

export type GuestEvent = Extract<ProjectEvent, { readonly type: `guest.${string}` }>;

export function isGuestEvent(event: ProjectEvent): event is GuestEvent {
  return event.type.startsWith('guest.');
}

/** Folds a guest. Guests are never swept, because their documents are not either. */
export function evolveGuest(state: GuestState | null, event: GuestEvent): GuestState | null {
  const joinedAt = event.metadata.recordedAt;
  if (event.type === 'guest.registered') return { devices: [{ hash: event.data.hash, joinedAt }], recovery: null, account: null };
  if (state === null) return null;
  switch (event.type) {
    case 'guest.joined': {
      const devices = [...state.devices, { hash: event.data.hash, joinedAt }];
      return { ...(event.data.code === undefined ? state : withoutCode(state)), devices };
    }
    case 'guest.codeIssued':
      return {
        ...withoutCode(state),
        recovery: event.data.hash,
        ...(event.data.device === undefined ? {} : { recoveryOf: event.data.device }),
      };
    case 'guest.linked':
      return { ...state, account: event.data.account };
    case 'guest.unlinked':
      return { ...state, account: null };
    case 'guest.deviceRevoked': {
      const devices = state.devices.filter(({ hash }) => hash !== event.data.hash);
      return { ...(event.data.code === undefined ? state : withoutCode(state)), devices };
    }
  }
}

function withoutCode({ recoveryOf: _, ...state }: GuestState): GuestState {
  return { ...state, recovery: null };
}

/** Folds which guest a recovery code or an account leads to. A used code still leads to its guest, who accepts it no more. */
export function evolveGuestName(event: GuestEvent): GuestName | null {
  return event.type === 'guest.unlinked' ? null : { guest: event.data.guest };
}
