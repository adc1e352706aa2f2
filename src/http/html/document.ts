import { createHash } from 'node:crypto';

/** The HTML documents of the server: one style, no script, nothing from elsewhere. */

export interface HtmlDocument {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  /** The way from the document to the server's root, such as `../`: a proxy may serve the installation under a path. */
  readonly root: string;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:50em;margin:2em auto;padding:0 1em;color:#222;background:#fff;overflow-wrap:anywhere}
pre,table{display:block;overflow-x:auto}pre,code{background:#f2f2f2;border-radius:4px;font:14px/1.4 ui-monospace,monospace}code{padding:.1em .3em}
pre{padding:.8em}pre code{padding:0}pre.plain{white-space:pre-wrap;font:inherit;background:none;padding:0}
table{border-collapse:collapse;overflow-wrap:normal}th,td{border:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top;min-width:4.5em}
.right{text-align:right}.center{text-align:center}
blockquote{margin:0;padding-left:1em;border-left:4px solid #ccc}dt{font-weight:bold}nav a{margin-right:1em}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}a{color:#8ab4f8}pre,code{background:#2a2a2a}th,td,blockquote{border-color:#555}}`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** With these headers a browser runs no script in a document, and loads nothing for it but the icon. */
export const DOCUMENT_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

export const HTML_TYPE = 'text/html; charset=utf-8';

export function htmlDocument({ title, body, root }: HtmlDocument): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title>
<link rel="icon" href="${root}favicon.svg"><style>${STYLE}</style></head>
<body>${body}</body></html>
`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** Browsers ask for HTML by name. Game clients send no `Accept`, or take anything. */
export function wantsHtml(accept: string | null | undefined): boolean {
  return accept?.includes('text/html') ?? false;
}
