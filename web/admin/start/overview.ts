import type { Vitals } from '../parts/health-card.tsx';

export type StepName =
  | 'password'
  | 'second_factor'
  | 'public_address'
  | 'mail'
  | 'application'
  | 'second_administrator'
  | 'backup';

export interface ChecklistItem {
  readonly name: StepName;
  readonly is_done: boolean;
  readonly is_dismissed: boolean;
}

export interface Week {
  readonly start: string;
  readonly logins: readonly number[];
  readonly logins_failed: readonly number[];
  readonly authorizations: readonly number[];
}

/** `admin_overview_retrieve`: all that the start page shows. */
export interface Overview extends Vitals {
  /** Null where the caller may see none of them. */
  readonly counts: { readonly users: number | null; readonly applications: number | null };
  readonly week: Week | null;
  readonly top_applications: readonly {
    readonly name: string;
    /** Empty for what is gone or hidden. */
    readonly slug: string;
    readonly icon: string;
    readonly events: number;
    readonly users: number;
  }[];
  readonly failing_jobs: readonly {
    readonly pk: string;
    readonly name: string;
    readonly message: string;
    readonly finished: string | null;
  }[];
  readonly ending_certificates: readonly { readonly pk: string; readonly name: string; readonly ends: string }[];
  /** Since when this restored server sends nothing to other systems. */
  readonly outgoing_held_since: string | null;
  readonly checklist: readonly ChecklistItem[];
  /** The members whose figures are estimates. */
  readonly at_least: readonly string[];
}
