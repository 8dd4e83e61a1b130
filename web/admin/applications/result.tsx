import { useState } from 'react';
import type { Application, TransactionApplicationResponse } from '../../api/types.ts';
import { Code } from '../../elements/code.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { useAnswer } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { CopyRows, hiddenText } from '../parts/copy-rows.tsx';
import { useNameOf } from '../widgets/use-name-of.ts';
import { Documentation, whereOf } from './documentation.tsx';
import { ForwardAuthCard } from './forward-auth-card.tsx';
import { LdapNote } from './ldap-note.tsx';
import { RadiusFacts } from './radius-facts.tsx';
import { Registered } from './registered.tsx';
import { SamlCertificate } from './saml-certificate.tsx';
import { type Choices, factsOf, isPasswordServer, providerPathOf, setupOf, type Template } from './template.ts';
import { TestLink } from './test-link.tsx';

interface Props {
  readonly template: Template;
  readonly choices: Choices;
  readonly created: TransactionApplicationResponse;
}

/** The provider that the wizard makes of an address. */
const forwardSingle = (address: string) => ({
  ...{ mode: 'forward_single' as const, external_host: address, internal_host: '', cookie_domain: '' },
});

/** What to enter in the application, and whether it has come since. */
export function Result({ template, choices: { name, slug, address, groups }, created }: Props) {
  const [isSecretShown, setSecretShown] = useState(false);
  const facts: ReturnType<typeof factsOf> = {
    ...factsOf(address, slug, created),
    ldap_host: location.hostname,
  };
  const nameOf = useNameOf('svc_core.group', groups);
  const names = groups.map(nameOf);
  const setup = setupOf(template, facts, names);
  const path = `/core/applications/${slug}/`;
  const isLdap = template.protocol === 'ldap';
  const isProxy = template.protocol === 'proxy';
  const isRadius = template.protocol === 'radius';
  const isSignedInHere = !isPasswordServer(template);
  const made = useAnswer<Application>(path);
  const provider = made.answer.state === 'ready' ? `${providerPathOf(template)}${made.answer.value.provider}/` : null;
  const rows = [
    { label: t(template.protocol === 'saml' ? 'Entity ID' : 'Issuer'), text: created.issuer },
    { label: t('Client ID'), text: created.client_id },
    {
      label: t('Client secret'),
      text: template.isPublic ? undefined : created.client_secret,
      isSecret: true,
      onShow: setSecretShown,
    },
    { label: t('Metadata'), text: created.metadata_url },
    { label: t('Sign-on URL'), text: created.sso_url },
    { label: t('Base DN'), text: isLdap ? facts.base_dn : undefined },
    { label: t('Bind DN'), text: isLdap ? facts.bind_dn : undefined },
  ];
  return (
    <div className="stack wizard-result">
      <Notice tone="good">
        {t(
          isProxy
            ? 'Created. Now configure your reverse proxy with these values.'
            : 'Created. Now paste these values into the application.',
        )}
      </Notice>
      {isProxy && <ForwardAuthCard provider={forwardSingle(address)} path={provider} />}
      {isRadius && provider !== null && <RadiusFacts path={provider} />}
      {!isProxy && !isRadius && (
        <section className="card stack" aria-label={t('To copy')}>
          <h2>{t('To copy')}</h2>
          <CopyRows rows={rows} />
          {isLdap && <LdapNote />}
        </section>
      )}
      {template.protocol === 'saml' && provider !== null && <SamlCertificate provider={provider} slug={slug} />}
      {setup !== '' && (
        <section className="card stack" aria-label={t('What to enter where')}>
          <div className="page-head-row">
            <div className="page-title">
              <h2>{t('What to enter where')}</h2>
              <p className="quiet">{whereOf(template)}</p>
              <Documentation template={template} />
            </div>
            <CopyButton text={setup}>{t('Copy all')}</CopyButton>
          </div>
          <Code text={isSecretShown ? setup : setupOf(template, { ...facts, client_secret: hiddenText }, names)} />
        </section>
      )}
      {made.answer.state === 'ready' && provider !== null && isSignedInHere && (
        <Registered template={template} provider={provider} pk={made.answer.value.pk} name={name} />
      )}
      {provider !== null && isSignedInHere && !isProxy && (
        <p className="quiet small">
          {t('“Test the sign-in” tests this server: who may use the application, and which data it would receive.')}
        </p>
      )}
      <div className="row">
        {provider !== null && isSignedInHere && <TestLink provider={provider}>{t('Test the sign-in')}</TestLink>}
        <Link className="button" href={hrefOf(path)}>
          {t('Go to the application')}
        </Link>
        <Link className="button" href={hrefOf('/applications/new/')}>
          {t('Another one')}
        </Link>
      </div>
    </div>
  );
}
