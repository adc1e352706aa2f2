import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, diagnosticCount, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Text, Transaction } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type CSSProperties, useCallback, useEffect, useRef, useState } from 'react';
import type { Found } from '../../api/definitions.ts';
import { useStanding } from '../../parts/standing.ts';
import type { DefinitionText } from '../../words/definition.ts';
import { jsonPlaceAt } from '../../words/json-place.ts';
import { jsonInsert, type Proposal, proposalsAt, type Schema, type SourcePlace, yamlPlaceAt } from '../../words/schema-completion.ts';
import styles from './definitions.module.css';

/** A text of an author in an editor, with completion by the schema of its kind, and findings where they are. */

interface EditorProps {
  readonly label: string;
  readonly begun: DefinitionText;
  /** What it was changed to; `null`: it is as it began. */
  readonly written: string | null;
  readonly format: 'yaml' | 'json';
  readonly schema: Schema;
  readonly findings: readonly Found[];
  readonly change: (text: string) => void;
}

/** Styles of the editor pass the policy of the page by its nonce. */
function nonce(): string {
  return document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
}

/** Marks the coming of the rest of a text, which nobody has changed by it. */
const COMPLETES = Annotation.define<boolean>();

/** Characters of a text that the editor has at once, which fill any screen: all lines of megabytes take a while. */
const AT_ONCE = 10_000;

/** Digits of the last line of a longer text, at most. */
const LONG_DIGITS = 6;

/** The lines that the editor has at once. */
function firstLines(text: DefinitionText): string {
  const start = text.start(AT_ONCE);
  if (start.length <= AT_ONCE) return start;
  const end = start.lastIndexOf('\n', AT_ONCE) + 1;
  return end === 0 ? text.whole : start.slice(0, end);
}

export function SourceEditor({ label, begun, written, format, schema, findings, change }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const latest = useRef({ schema, change });
  const first = useRef(begun);
  // The rest of a long text would widen the column of the numbers, and move the text aside.
  const [digits] = useState(() => (begun.start(AT_ONCE).length > AT_ONCE ? LONG_DIGITS : 1));
  /** What the text was changed to, as one string, which takes a while to make of a large one; `null`: the editor has what it began with. */
  const held = useRef<string | null>(null);
  /** Whether the editor has all of that: the rest comes before anything can be changed. */
  const isWhole = useRef(false);
  const isStanding = useStanding();
  const complete = useCallback(() => {
    if (isWhole.current || editor.current === null) return;
    isWhole.current = true;
    const from = editor.current.state.doc.length;
    const insert = first.current.whole.slice(from);
    if (insert === '') return;
    editor.current.dispatch({ changes: { from, insert }, annotations: [Transaction.addToHistory.of(false), COMPLETES.of(true)] });
  }, []);
  useEffect(() => {
    latest.current = { schema, change };
  }, [schema, change]);
  useEffect(() => {
    if (host.current === null) return;
    isWhole.current = false;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: firstLines(first.current),
        extensions: [
          EditorView.cspNonce.of(nonce()),
          EditorState.lineSeparator.of('\n'),
          lineNumbers(),
          lintGutter(),
          highlightActiveLine(),
          history(),
          bracketMatching(),
          indentUnit.of('  '),
          EditorState.tabSize.of(2),
          format === 'json' ? json() : yaml(),
          syntaxHighlighting(COLOURS),
          autocompletion({ override: [(context) => proposed(context, latest.current.schema, format)] }),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': `${label}. Escape and then Tab leaves it.` }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(COMPLETES) === true)) return;
            held.current = update.state.doc.toString();
            latest.current.change(held.current);
          }),
          EditorView.domEventHandlers({ focus: complete }),
          THEME,
        ],
      }),
    });
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, [format, label, complete]);
  useEffect(() => {
    if (isStanding) complete();
  }, [isStanding, complete]);
  useEffect(() => {
    const view = editor.current;
    if (view === null || held.current === written) return;
    const insert = written ?? begun.whole;
    if (held.current === insert) return;
    complete();
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
  }, [written, begun, complete]);
  useEffect(() => {
    const view = editor.current;
    if (view === null || (findings.length === 0 && diagnosticCount(view.state) === 0)) return;
    complete();
    view.dispatch(
      setDiagnostics(
        view.state,
        findings.flatMap((found) => diagnosticOf(found, view.state.doc)),
      ),
    );
  }, [findings, complete]);
  return <div ref={host} className={styles.editor} style={{ '--digits': digits } as CSSProperties} />;
}

function diagnosticOf({ severity, message, suggestedFix, line, column }: Found, doc: Text): readonly Diagnostic[] {
  if (line === null || line > doc.lines) return [];
  const { from, to, text } = doc.line(line);
  const start = Math.min(from + (column ?? 1) - 1, to);
  const word = /^[\w$.-]+/.exec(text.slice(start - from))?.[0].length ?? 0;
  return [{ from: start, to: Math.min(start + Math.max(word, 1), to), severity, message: `${message} ${suggestedFix}`.trim() }];
}

function proposed({ state, pos, explicit }: CompletionContext, schema: Schema, format: EditorProps['format']): CompletionResult | null {
  const [before, rest] = [state.sliceDoc(0, pos), state.sliceDoc(pos)];
  const place = format === 'json' ? jsonPlaceAt(before, rest) : yamlPlaceAt(before, rest);
  if (place === null || (place.word === '' && !place.isQuoted && !explicit && place.member === null)) return null;
  const isValue = place.member !== null;
  const options = proposalsAt(schema, place).map((found) => ({
    label: found.label,
    detail: found.detail,
    ...(found.info === '' ? {} : { info: found.info }),
    type: isValue ? 'constant' : 'property',
    apply: format === 'json' ? intoJson(place, found) : isValue ? found.label : `${found.label}: `,
  }));
  return options.length === 0 ? null : { from: pos - place.word.length, options, validFor: /^[\w$.-]*$/ };
}

/** Quotes that stand there already are not written again. */
function intoJson(place: SourcePlace, found: Proposal): Exclude<Completion['apply'], string | undefined> {
  return (view, completion, from, to) => {
    const { text, over } = jsonInsert(place, found, view.state.sliceDoc(to, view.state.doc.lineAt(to).to));
    const changes = { from, to: to + over, insert: text };
    view.dispatch({
      changes,
      selection: { anchor: from + text.length },
      annotations: pickedCompletion.of(completion),
      userEvent: 'input.complete',
    });
  };
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--next)' },
  { tag: tags.comment, color: 'var(--text-soft)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: 'var(--text-soft)' },
]);

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px', maxHeight: '64vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', minHeight: '220px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-soft)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: 'max(20px, calc(var(--digits) * 1ch + 8px))' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--accent-wash)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-strong)', borderRadius: '5px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionInfo': { maxWidth: '360px', whiteSpace: 'normal' },
  '.cm-diagnostic': { whiteSpace: 'normal', maxWidth: '560px' },
});
