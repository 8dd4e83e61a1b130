import { dump, load } from 'js-yaml';
import { useId, useState } from 'react';
import { FieldNotes } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';
import { CodeEditor } from './code-editor.tsx';
import { factsOf, nothing, Unreadable, type WidgetProps } from './widget-props.ts';

type Format = 'json' | 'yaml';

function textOf(value: unknown, format: Format): string {
  if (value instanceof Unreadable) return value.text;
  if (value === undefined || value === null) return '';
  return format === 'json' ? JSON.stringify(value, null, 2) : dump(value, { noRefs: true, lineWidth: -1 });
}

/**
 * JSON is valid YAML, so both can be entered in either format. Without aliases, YAML holds no more than JSON: no
 * cycles.
 */
function read(text: string, member: Member): unknown {
  if (text.trim() === '') return nothing(member);
  try {
    return load(text, { maxAliases: 0 });
  } catch (error) {
    return new Unreadable(text, error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error));
  }
}

export function JsonEditor(props: WidgetProps) {
  const { member, value, onChange } = props;
  const { label, hint, errors } = factsOf(props);
  const id = useId();
  const [format, setFormat] = useState<Format>('json');
  // Keeps the typed formatting.
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null);
  const text = typed && Object.is(typed.value, value) ? typed.text : textOf(value, format);
  function change(next: string): void {
    const parsed = read(next, member);
    setTyped({ text: next, value: parsed });
    onChange(parsed);
  }
  const complaints =
    value instanceof Unreadable ? [t('This cannot be read: {reason}', { reason: value.reason }), ...errors] : errors;
  return (
    <div className="field">
      <div className="code-head">
        <span className="field-label" id={`${id}-label`}>
          {label}
        </span>
        <label className="small">
          <span className="visually-hidden">{t('Write {field} as', { field: member.note.label })}</span>
          <select
            className="input"
            value={format}
            onChange={({ currentTarget }) => {
              setFormat(currentTarget.value === 'yaml' ? 'yaml' : 'json');
              if (!(value instanceof Unreadable)) setTyped(null);
            }}
          >
            <option value="json">JSON</option>
            <option value="yaml">YAML</option>
          </select>
        </label>
      </div>
      <CodeEditor label={label} language={format} text={text} errors={complaints} onChange={change} />
      <FieldNotes id={id} hint={hint} errors={complaints} />
    </div>
  );
}
