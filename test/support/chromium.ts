/** What tests use of a real Chromium, driven by playwright-core. */

/** A request of a page that a test holds back. */
export interface Held {
  /** Sends it on to the server. */
  continue(): Promise<void>;
  fulfill(answer: {
    readonly contentType: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }): Promise<void>;
}

/** What is found on a page. */
interface Found {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  check(): Promise<void>;
  uncheck(): Promise<void>;
  isChecked(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  selectOption(value: string): Promise<unknown>;
  first(): Found;
  last(): Found;
  nth(place: number): Found;
  filter(by: { readonly hasText: string | RegExp }): Found;
  getByRole: Page['getByRole'];
  waitFor(): Promise<void>;
  count(): Promise<number>;
  textContent(): Promise<string | null>;
  getAttribute(name: string): Promise<string | null>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  evaluate<Given, Value>(play: (given: Given) => Value | Promise<Value>, given: Given): Promise<Value>;
  evaluate<Value>(script: string): Promise<Value>;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Found;
  getByLabel(label: string | RegExp, options?: { readonly exact?: boolean }): Found;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Found;
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  on(event: 'pageerror', listen: (error: Error) => void): void;
  on(event: 'request', listen: (sent: { url(): string; isNavigationRequest(): boolean }) => void): void;
  on(event: 'console', listen: (message: { type(): string; text(): string }) => void): void;
  /** Runs it before every page. */
  addInitScript(script: string): Promise<void>;
  route(address: RegExp, answer: (held: Held) => Promise<void>): Promise<void>;
  unroute(address: RegExp): Promise<void>;
  url(): string;
  bringToFront(): Promise<void>;
  close(): Promise<void>;
}

/** The pages of one profile: they share storages, cookies and locks. */
export interface Profile {
  newPage(): Promise<Page>;
  newCDPSession(page: Page): Promise<{ send(method: string, given: object): Promise<unknown> }>;
  setOffline(isOffline: boolean): Promise<void>;
  /** As that of a page, which has the first word. */
  route: Page['route'];
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

/** How pages are looked at. */
export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface Browser {
  newPage(): Promise<Page>;
  newContext(look?: Look): Promise<Profile>;
  close(): Promise<void>;
}
