import { lazy, Suspense, useId } from 'react';
import { FieldNotes } from '../../elements/field.tsx';
import { factsOf, type WidgetProps } from './widget-props.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

/** An expression, in an editor loaded on demand. */
export function ExpressionWidget(props: WidgetProps) {
  const { label, hint, errors } = factsOf(props);
  const id = useId();
  const text = typeof props.value === 'string' ? props.value : '';
  return (
    <div className="field">
      <span className="field-label" id={id}>
        {label}
      </span>
      <Suspense fallback={<pre className="code">{text}</pre>}>
        <CodeEditor label={label} language="javascript" text={text} errors={errors} onChange={props.onChange} />
      </Suspense>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}
