/** The application of a provider, as far as protocols need to know it. */
export interface ClientApplication {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly group: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
}
