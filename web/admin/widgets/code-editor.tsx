import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { completeExpression } from './expression-names.ts';

export type Language = 'javascript' | 'json' | 'yaml';

interface Props {
  readonly label: string;
  readonly language: Language;
  readonly text: string;
  readonly errors: readonly string[];
  onChange(text: string): void;
}

const languages = {
  // Expressions are the bodies of functions.
  javascript: () => javascript(),
  json: () => json(),
  yaml: () => yaml(),
};

// Custom properties of the page apply inside the shadow tree.
const theme = EditorView.theme({
  '&': { fontSize: '0.875rem', color: 'var(--text)', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', minHeight: '6rem', maxHeight: '30rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface-sunken)', color: 'var(--text-quiet)', border: 'none' },
  '.cm-tooltip': { backgroundColor: 'var(--surface-raised)', border: '1px solid var(--line)', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-tint)',
  },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--accent-strong)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** Marks changes that are no typing. */
const broughtIn = Annotation.define<boolean>();

/** A code editor. Its styles need a shadow tree because of the content security policy. */
export function CodeEditor({ label, language, text, errors, onChange }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is brought in below
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open', delegatesFocus: true });
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          ...[lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching()],
          autocompletion(language === 'javascript' ? { override: [completeExpression] } : {}),
          // No binding for Tab, so that it leaves the editor.
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          ...[languages[language](), theme, syntaxHighlighting(highlighting), EditorView.lineWrapping],
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            const isTyped = !update.transactions.some((one) => one.annotation(broughtIn));
            if (update.docChanged && isTyped) change.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, language]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    // The editor makes all line ends alike.
    if (doc.eq(editor.state.toText(text))) return;
    editor.dispatch({ changes: { from: 0, to: doc.length, insert: text }, annotations: broughtIn.of(true) });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor, errors)));
  }, [errors]);
  return <div className="code-editor" dir="ltr" ref={place} data-invalid={errors.length > 0 || undefined} />;
}

/** Marks the lines that errors name. */
function diagnosticsOf({ state: { doc } }: EditorView, errors: readonly string[]): Diagnostic[] {
  return errors.flatMap((message) => {
    const number = Number(/\(line (\d+)/.exec(message)?.[1]);
    if (!(number >= 1 && number <= doc.lines)) return [];
    const { from, to } = doc.line(number);
    return [{ from, to, severity: 'error' as const, message }];
  });
}
