import { sql } from 'kysely';

/** The application of a provider, with the properties that protocols need. */
export interface ClientApplication {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly group: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
  /** Whether users without access may ask for it. */
  readonly access_requests: boolean;
}

/** The columns of `applications` (as `a`) that make one. */
export const applicationColumns = sql`a.pk as application_pk, a.name as application_name, a.slug, a."group", a.policy_engine_mode, a.enabled,
  a.access_requests`;

export interface ApplicationColumns extends Omit<ClientApplication, 'pk' | 'name'> {
  readonly application_pk: string;
  readonly application_name: string;
}

/** The application in a row, and the rest of the row. */
export function extractApplication<R extends ApplicationColumns>(row: R) {
  const { application_pk: pk, application_name: name, slug, group, policy_engine_mode, ...others } = row;
  const { enabled, access_requests, ...rest } = others;
  const states = { enabled: Boolean(enabled), access_requests: Boolean(access_requests) };
  const application: ClientApplication = { pk, name, slug, group, policy_engine_mode, ...states };
  return { application, rest };
}
