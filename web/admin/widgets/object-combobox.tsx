import { t } from '../../texts/texts.ts';
import './picker.css';
import { useCombobox } from 'downshift';
import { useState } from 'react';
import { FieldNotes } from '../../elements/field.tsx';
import type { NamedObject } from '../api/objects.ts';
import { passEscape } from './pass-escape.ts';
import { useNewGroup } from './use-new-group.ts';
import { useOptions } from './use-options.ts';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly errors?: readonly string[] | undefined;
  readonly model: string;
  /** The right to an object that choosing it takes. */
  readonly takes?: string | undefined;
  /** The text while nobody types. */
  readonly shown: string;
  readonly placeholder?: string;
  onChoose(object: NamedObject): void;
  /** The field was emptied. */
  onClear?(): void;
}

/** The kind of an object, with the name of one that is called otherwise. */
const noteOf = ({ name, label, type }: NamedObject): string => (name === label ? type : `${type} · ${name}`);

/** A combobox that searches objects of a model. */
export function ObjectCombobox(props: Props) {
  const { label, hint, errors = [], model, takes, shown, placeholder, onChoose, onClear } = props;
  const isOpenTo = ({ may }: NamedObject) => takes === undefined || may.includes(takes);
  const [text, setText] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { options: found, problem, isLoading } = useOptions(model, text ?? '', isOpen);
  const { draft, create, complaint } = useNewGroup(model, text ?? '', onChoose);
  const isNothingFound = !isLoading && problem === null && found.length === 0;
  const options = isNothingFound && draft ? [draft] : found;
  const box = useCombobox<NamedObject>({
    items: [...options],
    isOpen,
    // The parent holds the selection.
    selectedItem: null,
    inputValue: text ?? shown,
    itemToString: (object) => object?.label ?? '',
    itemToKey: (object) => object?.pk,
    isItemDisabled: (object) => object !== draft && !isOpenTo(object),
    onIsOpenChange({ isOpen: opens = false, type }) {
      setOpen(opens);
      if (opens) return;
      if (text === '' && type !== useCombobox.stateChangeTypes.InputKeyDownEscape) onClear?.();
      setText(null);
    },
    onSelectedItemChange({ selectedItem }) {
      if (selectedItem === draft) void create();
      else if (selectedItem) onChoose(selectedItem);
    },
  });
  const id = box.getInputProps({}, { suppressRefError: true }).id ?? '';
  const describers = `${id}-hint ${id}-errors`;
  return (
    <div className="field picker">
      <label id={box.getLabelProps().id} htmlFor={box.getLabelProps().htmlFor}>
        {label}
      </label>
      <input
        className="input"
        placeholder={placeholder}
        spellCheck={false}
        autoCapitalize="none"
        {...box.getInputProps({
          onChange: (event) => {
            setText(event.currentTarget.value);
            // At once, so that leaving right away closes it: that takes what was typed.
            setOpen(true);
          },
          onKeyDown: (event) => !isOpen && passEscape(event),
        })}
        aria-describedby={describers}
        aria-invalid={errors.length > 0 || undefined}
      />
      <ul className="options" data-open={isOpen || undefined} {...box.getMenuProps()}>
        {isOpen &&
          options.map((object, index) => (
            <li
              key={`${object.model} ${object.pk}`}
              {...box.getItemProps({ item: object, index })}
              data-active={index === box.highlightedIndex || undefined}
            >
              {object === draft ? (
                <span>{t('Create group “{name}”', { name: object.name })}</span>
              ) : (
                <>
                  <span>{object.label}</span>
                  <span className="quiet small">
                    {isOpenTo(object) ? noteOf(object) : t('Grants permissions that you do not hold')}
                  </span>
                </>
              )}
            </li>
          ))}
      </ul>
      <p className="picker-note small" role="status">
        {isOpen && !isLoading && found.length === 0 && (problem ?? t('Nothing is found.'))}
      </p>
      <FieldNotes id={id} hint={hint} errors={complaint === null ? errors : [...errors, complaint]} />
    </div>
  );
}
