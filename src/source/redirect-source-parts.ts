import { redirectComponent } from '../flow/executor/challenge.ts';
import { stringSchema } from '../resource/document/json-schema.ts';
import type { SourceModels } from './callback-result.ts';
import { linkPath } from './login-redirect.ts';
import { buildSourcePath } from './redirect-source.ts';
import type { SourceRow } from './source.family.ts';
import type { SourceKind } from './source-kind.ts';

interface RedirectSourceOptions extends SourceModels {
  /** The path at which people leave, with `{slug}`. */
  readonly login: string;
  /** The component with which a user links and unlinks. */
  readonly component: string;
}

/** What a kind of source adds to pages if people go to the source and come back. */
export function redirectSourceParts<S extends SourceRow>({
  login,
  component,
  ...models
}: RedirectSourceOptions): Pick<SourceKind<S>, 'screen' | 'proof' | 'link'> {
  const pathOf = ({ slug }: S): string => buildSourcePath(login, slug);
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
