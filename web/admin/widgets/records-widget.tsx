import './records.css';
import { type ComponentType, useEffect, useId, useRef } from 'react';
import { isObject } from '../../api/is-object.ts';
import { Button } from '../../elements/button.tsx';
import { FieldNotes } from '../../elements/field.tsx';
import { known, t } from '../../texts/texts.ts';
import { type Member, membersOf } from '../api/document.ts';
import type { Row } from '../api/objects.ts';
import { factsOf, type WidgetProps } from './widget-props.ts';

interface Props extends WidgetProps {
  /** The input of a member of the objects. */
  inputOf(member: Member): ComponentType<WidgetProps>;
}

/** A list of small objects, such as redirect URIs: inputs for each of them. */
export function RecordsWidget({ inputOf, ...props }: Props) {
  const { member, value, onChange } = props;
  const { label, hint, errors } = factsOf(props);
  const id = useId();
  const place = useRef<HTMLFieldSetElement>(null);
  const isAdding = useRef(false);
  const members = membersOf(member.schema.items ?? {}, known);
  const rows = Array.isArray(value) ? value.filter(isObject) : [];

  useEffect(() => {
    if (isAdding.current) place.current?.querySelector<HTMLElement>('.record:last-of-type input')?.focus();
    isAdding.current = false;
  });

  function add(): void {
    isAdding.current = true;
    onChange([...rows, Object.fromEntries(members.map((one) => [one.name, blank(one)]))]);
  }

  function remove(at: number): void {
    onChange(rows.toSpliced(at, 1));
    // The button that had the focus goes.
    place.current?.querySelector<HTMLElement>('[data-add]')?.focus();
  }

  return (
    <fieldset
      className="field records"
      ref={place}
      data-invalid={errors.length > 0 || undefined}
      aria-describedby={`${id}-hint ${id}-errors`}
    >
      <legend>{label}</legend>
      {rows.map((row, at) => {
        const number = at + 1;
        return (
          <fieldset className="record" key={number} aria-label={`${member.note.label} ${number}`}>
            {members.map((one) => (
              <RecordInput
                key={one.name}
                {...{ inputOf, row }}
                member={one}
                onChange={(to) => onChange(rows.with(at, to))}
              />
            ))}
            <Button onClick={() => remove(at)}>{t('Remove')}</Button>
          </fieldset>
        );
      })}
      <Button data-add="" onClick={add}>
        {t('Add')}
      </Button>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </fieldset>
  );
}

const blank = ({ schema, isNullable }: Member): unknown => schema.enum?.[0] ?? (isNullable ? null : '');

interface InputProps extends Pick<Props, 'inputOf'> {
  readonly member: Member;
  readonly row: Row;
  onChange(row: Row): void;
}

function RecordInput({ inputOf, member, row, onChange }: InputProps) {
  const Input = inputOf(member);
  const { name } = member;
  return (
    <div className="record-member" data-member={name}>
      <Input
        member={{ ...member, isRequired: false }}
        value={row[name]}
        errors={[]}
        onChange={(value) => onChange({ ...row, [name]: value })}
      />
    </div>
  );
}
