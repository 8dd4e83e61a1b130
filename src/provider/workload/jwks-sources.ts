import { refs } from '../../resource/fields/ref.ts';

/** The sources whose keys may sign tokens of workloads. Every workload with a token of such a source gets in. */
export const jwksSources = ({
  table,
  ...words
}: {
  readonly table: string;
  readonly help: string;
  readonly group: string;
}) =>
  refs('svc_sources_oauth.oauthsource', 'uuid', { table, own: 'provider', other: 'source', needs: 'use', ...words });
