import type { ComponentType } from 'react';
import type { JsonSchema } from '../../../src/resource/document/json-schema.ts';
import { FaultBoundary } from '../../page/fault-boundary.tsx';
import type { Member } from '../api/document.ts';
import { ChoicesWidget, ChoiceWidget, FlagWidget } from './choice-widgets.tsx';
import { ExpressionWidget } from './code-widget.tsx';
import { DurationWidget } from './duration-widget.tsx';
import { JsonWidget } from './json-widget.tsx';
import { LinesWidget } from './lines-widget.tsx';
import { RecordsWidget } from './records-widget.tsx';
import { ReferencePicker } from './reference-picker.tsx';
import { ReferencesPicker } from './references-picker.tsx';
import { NumberWidget, SecretWidget, TextWidget, TimeWidget } from './text-widgets.tsx';
import { factsOf, nothing, type WidgetProps } from './widget-props.ts';

/** The input of a member, by the kind of its field. */
export function Widget(props: WidgetProps) {
  const Chosen = widgetOf(props.member);
  return (
    <div className="widget" data-field={props.member.name} data-kind={props.member.note.kind}>
      <FaultBoundary isPart>
        <Chosen {...props} />
      </FaultBoundary>
    </div>
  );
}

const byKind: Readonly<Record<string, ComponentType<WidgetProps>>> = {
  text: TextWidget,
  file: TextWidget,
  number: NumberWidget,
  flag: FlagWidget,
  time: TimeWidget,
  duration: DurationWidget,
  expression: ExpressionWidget,
  json: JsonWidget,
  reference: ReferenceWidget,
  references: ReferencesWidget,
};

function widgetOf({ note, schema }: Member): ComponentType<WidgetProps> {
  const type = [schema.type].flat().find((one) => one !== 'null');
  if (note.kind === 'choice') return schema.enum ? ChoiceWidget : TextWidget;
  if (note.kind === 'secret') return type === 'string' ? SecretWidget : JsonWidget;
  if (note.kind === 'list') return listWidget(schema.items ?? {});
  if (note.kind === 'text' && schema.enum) return ChoiceWidget;
  return byKind[note.kind] ?? JsonWidget;
}

function listWidget({ enum: choices, type, properties }: JsonSchema): ComponentType<WidgetProps> {
  if (choices) return ChoicesWidget;
  if (properties) return RecordList;
  return type === 'string' || type === 'integer' || type === 'number' ? LinesWidget : JsonWidget;
}

const RecordList = (props: WidgetProps) => <RecordsWidget {...props} inputOf={widgetOf} />;

const keyOf = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' ? value : null;

function ReferenceWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  const isNumber = [member.schema.type].flat().includes('integer');
  const read = (key: string) => (isNumber ? Number(key) : key);
  return (
    <ReferencePicker
      {...factsOf(props)}
      model={member.note.model ?? ''}
      takes={member.note.limits?.takes}
      value={keyOf(value)}
      onChange={(key) => onChange(key === null ? nothing(member) : read(key))}
    />
  );
}

function ReferencesWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  return (
    <ReferencesPicker
      {...factsOf(props)}
      model={member.note.model ?? ''}
      takes={member.note.limits?.takes}
      isNumber={member.schema.items?.type === 'integer'}
      value={Array.isArray(value) ? value.flatMap((one) => keyOf(one) ?? []) : []}
      onChange={onChange}
    />
  );
}
