import type { Maintenance } from '../../api/types.ts';

export type SyncProvider = Maintenance['sync'][number];

/** What a tab of the page is given. */
export interface TabProps {
  readonly found: Maintenance;
  reload(): Promise<void>;
}

const soonMs = 30 * 86_400_000;

export const isOver = (ends: string): boolean => Date.parse(ends) < Date.now();
export const endsSoon = (ends: string): boolean => Date.parse(ends) < Date.now() + soonMs;
