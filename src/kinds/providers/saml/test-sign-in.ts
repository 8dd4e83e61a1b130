import { applicationContext } from '../../../provider/authorize/require-user-decision.ts';
import { testSignInAction } from '../../../provider/test-sign-in/test-action.ts';
import { type TestMount, testRoute } from '../../../provider/test-sign-in/test-route.ts';
import { samlProviderModel } from './models.ts';
import { loadServiceProvider } from './service-provider.ts';
import { buildSubject, type SubjectDependencies } from './sso/assertion-subject.ts';
import { SsoError } from './sso/sso-error.ts';
import { issuerOf } from './urls.ts';

/**
 * The path at which a test sign-in begins. No service provider has an empty address, so the ticket cannot be exchanged
 * for an assertion.
 */
export const samlTestRoute = (mount: TestMount) =>
  testRoute(mount, {
    path: '/application/test-saml/',
    model: samlProviderModel,
    load: (provider) => loadServiceProvider(mount.db, { provider }),
    asking: async (_call, { application }) => ({
      request: { isTest: true, consumerUrl: '' },
      context: { ...applicationContext(application), consent_permissions: [] },
    }),
  });

/** What an assertion would say. */
export const samlTestAction = (needs: SubjectDependencies) =>
  testSignInAction({
    key: needs.key,
    async tell(call, pk, { user, session }) {
      const provider = await loadServiceProvider(call.db, { provider: pk });
      if (!provider) return { refusal: 'No application uses the provider.' };
      try {
        const { nameId, mapped } = await buildSubject(needs, call, { provider, user, session, nameIdFormat: null });
        needs.keyOf(provider);
        const attributes = mapped.attributes.map(({ name, values }) => [name, [...values]]);
        return {
          claims: {
            assertion: {
              issuer: issuerOf(needs.publicUrl, { issuer: provider.issuer, slug: provider.application.slug }),
              audience: provider.audience,
              name_id: nameId.value,
              name_id_format: nameId.format,
            },
            attributes: Object.fromEntries(attributes),
          },
        };
      } catch (error) {
        if (error instanceof SsoError) return { refusal: error.message };
        throw error;
      }
    },
  });
