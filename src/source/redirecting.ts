import { redirectComponent } from '../flow/executor/challenge.ts';
import { stringSchema } from '../resource/json-schema.ts';
import { pathFor } from './interactive.ts';
import { linkPath } from './leave.ts';
import type { SourceRow } from './source.family.ts';
import type { SourceKind } from './source-kind.ts';
import type { VisitModels } from './visit-outcome.ts';

interface Redirecting extends VisitModels {
  /** The path at which people leave, with `{slug}`. */
  readonly login: string;
  /** The component with which a user links and unlinks. */
  readonly component: string;
}

/** What a kind of source adds to pages if people go to the source and come back. */
export function redirecting<S extends SourceRow>({
  login,
  component,
  ...models
}: Redirecting): Pick<SourceKind<S>, 'screen' | 'proof' | 'link'> {
  const pathOf = ({ slug }: S): string => pathFor(login, slug);
  return {
    screen: {
      component: redirectComponent,
      members: { to: stringSchema },
      challenge: (source) => ({ to: pathOf(source) }),
    },
    proof: { by: 'visit', loginPath: pathOf, ...models },
    link: { component, configureUrl: (source) => linkPath(pathOf(source)) },
  };
}
