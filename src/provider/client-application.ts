import { sql } from 'kysely';

/** The application of a provider, with the properties that protocols need. */
export interface ClientApplication {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly group: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
}

/** The columns of `applications` (as `a`) that make one. */
export const applicationColumns = sql`a.pk as application_pk, a.name as application_name, a.slug, a."group", a.policy_engine_mode, a.enabled`;

export interface ApplicationColumns extends Omit<ClientApplication, 'pk' | 'name'> {
  readonly application_pk: string;
  readonly application_name: string;
}

/** The application in a row, and the rest of the row. */
export function extractApplication<R extends ApplicationColumns>(row: R) {
  const { application_pk: pk, application_name: name, slug, group, policy_engine_mode, enabled, ...rest } = row;
  const application: ClientApplication = { pk, name, slug, group, policy_engine_mode, enabled: Boolean(enabled) };
  return { application, rest };
}
