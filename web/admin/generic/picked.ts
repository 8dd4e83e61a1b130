import type { Description } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';

/** A row that was chosen. */
export interface Picked {
  readonly path: string;
  readonly name: string;
  readonly row: Row;
  /** Members that the caller may not change. */
  readonly fixed: readonly string[];
}

/** What buttons for chosen rows get, of lists that have some of their own. */
export interface BulkVerbsProps extends Pick<BulkProps, 'entry' | 'description' | 'picked'> {
  /** What closes a dialog when all is done. */
  finish(close: () => void): () => Promise<void>;
}

/** What dialogs about chosen rows get. */
export interface BulkProps {
  readonly entry: ResourceEntry;
  readonly description: Description;
  readonly picked: readonly Picked[];
  /** Closes the dialog and shows the list again, with nothing chosen. */
  onDone(): Promise<void>;
  onClose(): void;
}
