import { type ComponentType, useMemo } from 'react';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { nameOfRow, pathOfObject } from '../api/object.ts';
import type { Names, Row } from '../api/objects.ts';
import { counted } from '../labels.ts';
import { useDialog } from '../use-dialog.ts';
import { BulkDelete } from './bulk-delete.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import { SwitchButtons, switchOf } from './bulk-switch.tsx';
import type { BulkVerbsProps, Picked } from './picked.ts';

interface Props {
  readonly entry: ResourceEntry;
  readonly description: Description;
  readonly rows: readonly Row[];
  readonly names: Names;
  readonly chosen: ReadonlySet<string>;
  readonly Verbs?: ComponentType<BulkVerbsProps> | undefined;
  onChoose(chosen: ReadonlySet<string>): void;
  onDone(): Promise<void>;
}

const mayDelete = ({ may }: ResourceEntry): boolean => may.delete === 'all';
const mayChange = ({ may }: ResourceEntry, { changing }: Description): boolean =>
  may.change === 'all' && changing !== null;

/** Whether there is anything that can be done with several rows of a list. */
export const canChoose = (entry: ResourceEntry, description: Description): boolean =>
  mayDelete(entry) || mayChange(entry, description);

type Picking = Pick<Props, 'entry' | 'description' | 'rows' | 'names' | 'chosen'>;

function pickedOf({ entry, description, rows, names, chosen }: Picking): Picked[] {
  const keyOf = (row: Row) => String(row[description.key]);
  return rows
    .filter((row) => chosen.has(keyOf(row)))
    .map((row) => ({
      path: pathOfObject(entry, keyOf(row)),
      name: nameOfRow(description, row, names),
      row,
      fixed: names(description.model, row[description.pk ?? description.key])?.fixed ?? [],
    }));
}

/** What can be done with the rows that were chosen. */
export function BulkBar({ entry, description, rows, names, chosen, Verbs, onChoose, onDone }: Props) {
  const edit = useDialog('edit');
  const remove = useDialog('delete');
  const picked = useMemo(
    () => pickedOf({ entry, description, rows, names, chosen }),
    [entry, description, rows, names, chosen],
  );
  if (picked.length === 0) return null;
  const finish = (close: () => void) => async () => {
    close();
    await onDone();
    onChoose(new Set());
  };
  const props = { entry, description, picked };
  const member = mayChange(entry, description) ? switchOf(description) : undefined;
  return (
    <div className="bulk-bar">
      <p role="status">{t('{objects} selected', { objects: counted(picked.length, entry) })}</p>
      <div className="row">
        <Button look="quiet" onClick={() => onChoose(new Set())}>
          {t('Clear')}
        </Button>
        {Verbs && <Verbs {...props} finish={finish} />}
        {member && <SwitchButtons {...props} member={member} finish={finish} />}
        {mayChange(entry, description) && <Button onClick={edit.open}>{t('Edit…')}</Button>}
        {mayDelete(entry) && <Button onClick={remove.open}>{t('Delete…')}</Button>}
      </div>
      {edit.isOpen && mayChange(entry, description) && (
        <BulkEdit {...props} onDone={finish(edit.close)} onClose={edit.close} />
      )}
      {remove.isOpen && mayDelete(entry) && (
        <BulkDelete {...props} onDone={finish(remove.close)} onClose={remove.close} />
      )}
    </div>
  );
}
