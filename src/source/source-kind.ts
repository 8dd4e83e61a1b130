import type { PageNeeds } from '../flow/page-needs.ts';
import type { PasswordBackend } from '../flow/passwords/password-backend.ts';
import type { ProtocolKind } from '../flow/protocol-kind.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from '../resource/call.ts';
import type { JsonSchema } from '../resource/document/json-schema.ts';
import type { Fields, Row, ValuesOf } from '../resource/fields/field.ts';
import type { Registry } from '../resource/resource.ts';
import type { SourceModels } from './callback-result.ts';
import type { ExternalIdentity } from './external-identity.ts';
import type { SourceRow } from './source.family.ts';

/**
 * A kind of source: how it is administered (`resource`, made by `defineSource`), and how people come in by it. Its
 * mapping and its connections are among its `resources`. Steps that `planSignIn` appends are carried out by the family
 * (`append-steps.ts`) unless the kind brings an `append` of its own.
 */
export interface SourceKind<S = SourceRow, A extends Fields = Fields> extends ProtocolKind {
  /** How its sources are offered on the sign-in page; a kind without it is not offered there. */
  readonly screen?: SourceScreen<S>;
  /** How people prove within a flow who they are at the source (the source stage). Needs a `screen`. */
  readonly proof?: SourceProof<S, A>;
  /** Whether it is configured well enough to verify logins. Others are not offered, and reject logins. */
  isReady?(source: S): boolean;
  /** The icon, if it depends on more than the upload. */
  iconOf?(source: S): string;
  /** How signed-in users link their account by themselves. */
  readonly link?: SourceLink<S>;
  /** Knows the passwords of its users. */
  readonly passwords?: PasswordBackend;
  /** What a flow's page needs that offers these sources, by their keys. */
  pageNeeds?(sources: readonly string[], query: Query): Promise<PageNeeds>;
}

/** What a page shows of a source. */
export interface SourceScreen<S = SourceRow> {
  /** Names the part of the page that handles it. */
  readonly component: string;
  /** The members of `challenge`. */
  readonly members: Readonly<Record<string, JsonSchema>>;
  challenge(source: S): Row;
}

/** Users answer a challenge, or are redirected to the source (`redirect-source.ts`). */
export type SourceProof<S = SourceRow, A extends Fields = Fields> =
  | {
      readonly by: 'answer';
      /** The members of an answer. */
      readonly answer: A;
      /** Identifies the user. Throws `Problem` or `Invalid` with a message for the user. */
      arrive(source: S, answer: ValuesOf<A>, registry: Registry, call: Call): Promise<ExternalIdentity>;
    }
  | ({
      readonly by: 'visit';
      /** The path at which people leave for the source. */
      loginPath(source: S): string;
    } & SourceModels);

export interface SourceLink<S = SourceRow> {
  /** The component with which a user links and unlinks. */
  readonly component: string;
  /** The initial data of that component. */
  configureUrl(source: S): string;
}
