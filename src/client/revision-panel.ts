import { requireClient, requireOptions } from './arguments.ts';
import type { Client } from './client.ts';
import type { AnyGame, GameTypes } from './game.ts';
import { revisionOf } from './revision.ts';
import { openRevisionPrompt, type PromptOptions, type RevisionPrompt } from './revision-prompt.ts';

/**
 * The prompt of an outdated game, drawn on a page by the element `savepoint-revision-panel`. An entry of its own,
 * `savepoint/client/revision-panel`, so that no other game loads it.
 */

/** Texts of the panel, in the language of the game. */
export interface PanelLabels {
  readonly title: string;
  readonly timeLeft: string;
  readonly createNewGame: string;
  readonly joinNewLobby: string;
  readonly continuePlaying: string;
  readonly dismiss: string;
}

export interface PanelOptions extends PromptOptions {
  /** The element of the page that the panel is put into. */
  readonly parent?: PanelParent | null;
  readonly labels?: Partial<PanelLabels>;
}

/** The part of an element that is used here; Node's types have none. */
export interface PanelParent {
  append(child: PanelElement): void;
}

/** A panel on a page. */
export interface RevisionPanel {
  readonly element: PanelElement;
  readonly prompt: RevisionPrompt;
  /** Takes the panel off the page, and stops watching the client. */
  remove(): void;
}

interface PageEvent {
  readonly key?: string;
  readonly target: unknown;
  preventDefault(): void;
}

export interface PanelElement {
  textContent: string | null;
  hidden: boolean;
  readonly shadowRoot: ShadowTree | null;
  append(...children: readonly (PanelElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  remove(): void;
}

interface ShadowTree {
  adoptedStyleSheets: readonly unknown[];
  append(child: PanelElement): void;
}

interface DialogElement extends PanelElement {
  readonly open: boolean;
  showModal(): void;
  close(): void;
}

/** The globals of a page that are used here. */
interface Page {
  readonly document: { createElement(tag: string): PanelElement };
  readonly HTMLElement: new () => PanelElement & { attachShadow(options: { readonly mode: 'open' }): ShadowTree };
  readonly CSSStyleSheet: new () => { replaceSync(css: string): void };
  readonly customElements: { get(name: string): unknown; define(name: string, element: unknown): void };
}

const NAME = 'savepoint-revision-panel';
const TICK_MS = 1000;

const LABELS: PanelLabels = {
  title: 'A new version is out',
  timeLeft: 'Time left',
  createNewGame: 'Start a new game',
  joinNewLobby: 'Join another lobby',
  continuePlaying: 'Continue playing',
  dismiss: 'Close',
};

/** The page may set `--savepoint-accent`, and style the parts `dialog`, `title`, `message`, `time`, `actions` and `button`. */
const CSS = `
:host { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
dialog { box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100dvh - 2rem); overflow: auto; padding: 1.5rem;
  border: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); border-radius: 0.75rem; background: Canvas; color: CanvasText; }
dialog::backdrop { background: rgb(0 0 0 / 60%); }
h2 { margin: 0 0 0.5rem; font-size: 1.25rem; line-height: 1.25; }
h2:focus { outline: none; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
[part='time'] { font-variant-numeric: tabular-nums; }
[part='actions'] { display: flex; flex-wrap: wrap; gap: 0.5rem; }
button { flex: 1 1 12rem; min-height: 2.75rem; padding: 0.5rem 1rem; border: 1px solid color-mix(in srgb, CanvasText 30%, Canvas);
  border-radius: 0.5rem; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.main { border-color: transparent; background: var(--savepoint-accent, #1d5fd1); color: #fff; }
button:focus-visible { outline: 3px solid var(--savepoint-accent, #1d5fd1); outline-offset: 2px; }
[hidden] { display: none; }
`;

/**
 * Puts a panel on the page that opens when the game is outdated. Without `parent` there is none: a warning is logged, and
 * `revisionOf(client).onOutdated` is called all the same.
 *
 * @example
 * ```ts
 * mountRevisionPanel(client, { parent: null }); // → null
 * ```
 */
export function mountRevisionPanel<G extends GameTypes = AnyGame>(client: Client<G>, options: PanelOptions = {}): RevisionPanel | null {
  requireClient(client);
  requireOptions(options);
  const { parent, labels, onChange, ...choices } = options;
  if (!parent) {
    client.connection.log('warn', 'There is no panel for outdated revisions: give `parent`, an element of the page');
    return null;
  }
  const page = globalThis as unknown as Page;
  const view = draw(page, { ...LABELS, ...labels });
  let ticking: ReturnType<typeof setInterval> | undefined;
  const show = (prompt: RevisionPrompt) => {
    clearInterval(ticking);
    view.update(prompt);
    if (prompt.state === 'open') ticking = setInterval(() => view.update(prompt), TICK_MS);
  };
  const prompt = openRevisionPrompt(client, {
    ...choices,
    onChange: (changed) => {
      show(changed);
      onChange?.(changed);
    },
  });
  view.connect(prompt, () => revisionOf(client).settings.allowSpaceToClose);
  parent.append(view.element);
  return {
    element: view.element,
    prompt,
    remove() {
      prompt.close();
      view.element.remove();
    },
  };
}

function draw(page: Page, labels: PanelLabels) {
  define(page);
  const make = (tag: string, part: string, ...children: readonly (PanelElement | string)[]) => {
    const element = page.document.createElement(tag);
    element.setAttribute('part', part);
    element.append(...children);
    return element;
  };
  const button = (label: string) => {
    const element = make('button', 'button', label);
    element.setAttribute('type', 'button');
    return element;
  };
  const [create, join, goOn, dismiss] = [labels.createNewGame, labels.joinNewLobby, labels.continuePlaying, labels.dismiss].map(button) as [
    PanelElement,
    PanelElement,
    PanelElement,
    PanelElement,
  ];
  create.setAttribute('class', 'main');
  const title = make('h2', 'title', labels.title);
  title.setAttribute('id', 'title');
  // The title is read first, and Space on it closes the panel.
  title.setAttribute('tabindex', '-1');
  title.setAttribute('autofocus', '');
  const message = make('p', 'message');
  message.setAttribute('id', 'message');
  const time = make('p', 'time');
  time.setAttribute('role', 'timer');
  const dialog = make('dialog', 'dialog', title, message, time, make('div', 'actions', create, join, goOn, dismiss)) as DialogElement;
  dialog.setAttribute('aria-labelledby', 'title');
  dialog.setAttribute('aria-describedby', 'message');
  const element = page.document.createElement(NAME);
  element.shadowRoot?.append(dialog);

  return {
    element,
    connect(prompt: RevisionPrompt, allowsSpace: () => boolean) {
      create.addEventListener('click', () => prompt.createNewGame());
      join.addEventListener('click', () => prompt.joinNewLobby());
      goOn.addEventListener('click', () => prompt.continuePlaying());
      dismiss.addEventListener('click', () => prompt.dismiss());
      // Escape: the prompt closes the dialog, so that its state is that of the dialog.
      dialog.addEventListener('cancel', (event) => {
        event.preventDefault();
        prompt.dismiss();
      });
      dialog.addEventListener('keydown', (event) => {
        const isOnButton = [create, join, goOn, dismiss].some((one) => one === event.target);
        if (event.key !== ' ' || isOnButton || !allowsSpace()) return;
        event.preventDefault();
        prompt.dismiss();
      });
    },
    update({ state, message: text, outdated, canContinue, secondsLeft }: RevisionPrompt) {
      message.textContent = text;
      message.hidden = text === null;
      // Of a grace period that is over nothing is left.
      time.hidden = !secondsLeft;
      time.textContent = secondsLeft ? `${labels.timeLeft}: ${clock(secondsLeft)}` : null;
      for (const choice of [create, join]) choice.hidden = outdated?.showUpdateOptions === false;
      goOn.hidden = !canContinue;
      if (state === 'open' && !dialog.open) dialog.showModal();
      if (state !== 'open' && dialog.open) dialog.close();
    },
  };
}

/** Defines the element once for a page; another copy of this library may have done it. */
function define({ HTMLElement, CSSStyleSheet, customElements }: Page): void {
  if (customElements.get(NAME) !== undefined) return;
  class Panel extends HTMLElement {
    constructor() {
      super();
      // A sheet, and not a `style` element, which the page's content security policy may forbid.
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(CSS);
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet];
    }
  }
  customElements.define(NAME, Panel);
}

/** `4:05`, or `1:00:05`. */
function clock(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
