import { lazy, Suspense } from 'react';
import { JsonParts } from './json-parts.tsx';
import type { WidgetProps } from './widget-props.ts';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

/** Free-form data, in an editor loaded on demand. */
export function JsonWidget(props: WidgetProps) {
  return (
    <div className="json-parts">
      <JsonParts {...props} />
      <Suspense fallback={<p className="quiet">{props.member.note.label}…</p>}>
        <JsonEditor {...props} />
      </Suspense>
    </div>
  );
}
