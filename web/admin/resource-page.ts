import type { ComponentType } from 'react';
import type { ResourceEntry } from './api/interface.ts';
import type { WholeObject } from './api/object.ts';
import type { Row } from './api/objects.ts';

/** The properties of the page of a resource or object; the key is empty for lists. */
export interface ResourcePage {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  /** Shown above the members on the detail page. */
  readonly Banner?: ComponentType<BannerProps> | undefined;
  /** A column beside the detail page and the forms. */
  readonly SidePanel?: ComponentType<SidePanelProps> | undefined;
  /** The dialog on the page of an object that has just been created. */
  readonly firstDialog?: string | undefined;
}

export interface BannerProps {
  readonly object: WholeObject;
}

export interface SidePanelProps {
  /** Stored, or with unsaved changes. */
  readonly values: Row;
}
