/** Why somebody did something, and for which ticket, as it is shown. */

/** `“why” · T-77`; empty: neither was said. */
export function whySaid({ reason = '', ticket }: { readonly reason?: string | undefined; readonly ticket?: string | undefined }): string {
  return [...(reason === '' ? [] : [`“${reason}”`]), ...(ticket === undefined ? [] : [ticket])].join(' · ');
}
