export const severities = ['error', 'warning', 'info'] as const;

export interface Finding {
  readonly code: string;
  readonly severity: (typeof severities)[number];
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
  /** The stage binding that it is about; null for the flow as a whole. */
  readonly binding: string | null;
}
