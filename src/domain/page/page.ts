import type { Page } from '../../contract/answers.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { type JsonObject, tryParseJson } from '../../kernel/json.ts';
import { objectOrNull } from '../../kernel/json-read.ts';
import type { DomainEvent, PageContent } from '../events.ts';
import type { PageState } from '../states.ts';

/** Pages: texts and key-value lists that a project shows to anybody. Its operator makes them. */

export const PAGE_TYPES = ['markdown', 'keyvalue'] as const;

export interface SavePage {
  readonly slug: string;
  readonly title: string;
  readonly type: PageContent['pageType'];
  /** Markdown, or a JSON object. */
  readonly content: string;
  readonly statusLevel: string | null;
}

export type PageEvent = Extract<DomainEvent, { readonly type: 'page.saved' | 'page.removed' }>;

const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const STATUS_LEVEL = /^[a-z0-9_-]{1,32}$/;
/** Characters that Postgres cannot store in a text. */
const BAD_TEXT = /\0|\p{Surrogate}/u;
const MAX_TITLE = 120;
/** Most characters of a page's content. */
export const MAX_CONTENT = 100_000;

export function isPageSlug(text: string): boolean {
  return SLUG.test(text);
}

export function isPageEvent<E extends DomainEvent>(event: E): event is E & PageEvent {
  return event.type === 'page.saved' || event.type === 'page.removed';
}

/** Makes or replaces a page. 400 `VALIDATION_FAILED`. */
export function savePage({ slug, title, type, content, statusLevel }: SavePage): PageEvent | Refusal {
  if (!isPageSlug(slug))
    return refusal('VALIDATION_FAILED', 'A page name is 1 to 64 lower-case letters, digits, _ or -, starting with a letter or digit');
  const named = title.trim();
  if (named === '' || named.length > MAX_TITLE) return refusal('VALIDATION_FAILED', `A title has 1 to ${MAX_TITLE} characters`);
  if (content.length > MAX_CONTENT) return refusal('VALIDATION_FAILED', `A page holds ${MAX_CONTENT} characters at most`);
  if (BAD_TEXT.test(content) || BAD_TEXT.test(title)) return refusal('VALIDATION_FAILED', 'The page is not text in UTF-8');
  if (statusLevel !== null && !STATUS_LEVEL.test(statusLevel)) {
    return refusal('VALIDATION_FAILED', 'A status level is 1 to 32 lower-case letters, digits, _ or -');
  }
  const about = { slug, title: named, ...(statusLevel === null ? {} : { statusLevel }) };
  if (type === 'markdown') return { type: 'page.saved', data: { ...about, pageType: 'markdown', contentMd: content } };
  const kvData = objectOf(content);
  if (kvData === null) return refusal('VALIDATION_FAILED', 'The content of a keyvalue page must be a JSON object');
  return { type: 'page.saved', data: { ...about, pageType: 'keyvalue', kvData } };
}

/** Removes a page. 404 `NOT_FOUND`. */
export function removePage(state: PageState | null, slug: string): PageEvent | Refusal {
  if (state === null) return refusal('NOT_FOUND', 'No page with this name');
  return { type: 'page.removed', data: { slug } };
}

/** `recordedAt`: the event's time in unix ms. */
export function evolvePage(state: PageState | null, event: PageEvent, recordedAt: number): PageState | null {
  if (event.type === 'page.removed') return null;
  return { page: event.data, createdAt: state?.createdAt ?? recordedAt, updatedAt: recordedAt };
}

/** The body of an answer. As JSON, which is the default, it also has an empty `html`. */
export function pageBody({ page, updatedAt }: PageState, format: string | null): Page {
  const { slug, title, statusLevel = null } = page;
  const changed = { statusLevel, updatedAt: new Date(updatedAt).toISOString() };
  const html = format === null || format === 'json' ? { html: '' as const } : {};
  return page.pageType === 'keyvalue'
    ? { ok: true, slug, title, type: 'keyvalue', ...changed, data: page.kvData, ...html }
    : { ok: true, slug, title, type: 'markdown', ...changed, markdown: page.contentMd, ...html };
}

function objectOf(text: string): JsonObject | null {
  return objectOrNull(tryParseJson(text, { maxDepth: 32 }));
}
