import type { Vitals } from '../parts/health-card.tsx';

interface JobRun {
  readonly pk: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'successful' | 'warning' | 'error' | 'waiting';
  readonly message: string;
  readonly finished: string | null;
  /** When one is due next. */
  readonly next_run: string | null;
  readonly may_run: boolean;
}

export interface SyncProvider {
  readonly pk: number;
  readonly name: string;
  readonly type: string;
  readonly path: string;
  readonly is_assigned: boolean;
  readonly may_change: boolean;
  readonly outstanding: number;
  readonly failed: number;
  readonly paused_until: string | null;
  readonly message: string;
  readonly last_successful: string | null;
  readonly run: {
    readonly state: 'running' | 'done' | 'failed';
    readonly done: number;
    readonly left: number;
    readonly failed: number;
    readonly message: string;
    readonly started: string;
    readonly finished: string | null;
  } | null;
}

interface Listed {
  readonly name: string;
  readonly type: string;
  readonly path: string;
}

/** `admin_maintenance_retrieve`: all that the system page shows. */
export interface Maintenance extends Vitals {
  readonly certificates: readonly { readonly pk: string; readonly name: string; readonly ends: string }[];
  readonly jobs: readonly JobRun[];
  readonly tokens: readonly {
    readonly identifier: string;
    readonly username: string;
    readonly intent: string;
    readonly ends: string | null;
  }[];
  readonly connections: readonly (Listed & { readonly pk: string })[];
  readonly sources: readonly (Listed & { readonly is_enabled: boolean })[];
  readonly sync: readonly SyncProvider[];
  /** The lists that have more rows than these. */
  readonly cut: readonly string[];
}

/** What a tab of the page is given. */
export interface TabProps {
  readonly found: Maintenance;
  reload(): Promise<void>;
}

const soonMs = 30 * 86_400_000;

export const isOver = (ends: string): boolean => Date.parse(ends) < Date.now();
export const endsSoon = (ends: string): boolean => Date.parse(ends) < Date.now() + soonMs;
