import type { ComponentType } from 'react';
import type { ResourceEntry } from './api/interface.ts';
import type { WholeObject } from './api/object.ts';
import type { Row } from './api/objects.ts';

/** What a page of a resource or of one object gets; the key is empty for lists. */
export interface ResourcePage {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  /** What stands above the members on the detail page. */
  readonly Above?: ComponentType<AboveProps> | undefined;
  /** A column beside the detail page and the forms. */
  readonly Beside?: ComponentType<BesideProps> | undefined;
}

export interface AboveProps {
  readonly object: WholeObject;
}

export interface BesideProps {
  /** Stored, or with unsaved changes. */
  readonly values: Row;
}
