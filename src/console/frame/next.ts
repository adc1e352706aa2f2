/** Where somebody wanted to go who has to sign in elsewhere first: this window keeps it meanwhile. */

const KEY = 'sign-in-next';

/** A path of the console, and nowhere else. */
export function pathOf(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/';
}

export function keepNext(next: string | undefined): void {
  window.sessionStorage.setItem(KEY, pathOf(next));
}

export function takeNext(): string {
  const next = window.sessionStorage.getItem(KEY) ?? undefined;
  window.sessionStorage.removeItem(KEY);
  return pathOf(next);
}
