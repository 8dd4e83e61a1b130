import { specifiedFormat } from '../../../lib/saml/names.ts';
import { buildSourcePath } from '../../../source/redirect-source.ts';
import type { SourceRow } from '../../../source/source.family.ts';

export const samlSourceModel = 'svc_sources_saml.samlsource';
export const samlConnectionModel = 'svc_sources_saml.usersamlsourceconnection';
export const samlMappingModel = 'svc_sources_saml.samlsourcepropertymapping';
/** The emitter of its events. */
export const samlApp = 'svc_sources_saml';

const root = '/source/saml/{slug}/';
export const samlPaths = {
  login: root,
  callback: `${root}acs/`,
  logout: `${root}slo/`,
  metadata: `${root}metadata/`,
} as const;

/** A SAML source as an administrator has set it up. */
export type SamlSource = SourceRow & {
  readonly pre_authentication_flow: string;
  readonly issuer: string;
  readonly idp_issuer: string;
  readonly sso_url: string;
  readonly slo_url: string | null;
  readonly allow_idp_initiated: boolean;
  readonly name_id_policy: string;
  readonly binding_type: 'REDIRECT' | 'POST' | 'POST_AUTO';
  readonly verification_kp: string | null;
  readonly signing_kp: string | null;
  readonly encryption_kp: string | null;
  readonly digest_algorithm: string;
  readonly signature_algorithm: string;
  readonly temporary_user_delete_after: string;
};

/** The URLs of a source, and our entity ID for its identity provider. */
export function serviceProviderOf(
  { slug, issuer }: { readonly slug: string; readonly issuer: string },
  publicUrl: string,
) {
  const address = (path: string) => `${publicUrl}${buildSourcePath(path, slug)}`;
  return {
    entityId: issuer || address(samlPaths.metadata),
    consumerUrl: address(samlPaths.callback),
    logoutUrl: address(samlPaths.logout),
  };
}

/** The NameID format to request. */
export const nameIdFormatOf = ({ name_id_policy }: { readonly name_id_policy: string }): string =>
  specifiedFormat(name_id_policy);
