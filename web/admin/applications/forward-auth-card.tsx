import { useId, useState } from 'react';
import type { ProxyProvider } from '../../api/types.ts';
import { SelectField } from '../../elements/choice.tsx';
import { Code } from '../../elements/code.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import type { BannerProps } from '../resource-page.ts';
import { configurations } from './forward-auth/configurations.ts';
import './applications.css';
import { ProxyTest } from './proxy-test.tsx';
import { readAddress } from './template.ts';
import { Unassigned } from './unassigned.tsx';

type ProxySettings = Pick<ProxyProvider, 'mode' | 'external_host' | 'internal_host' | 'cookie_domain'>;

/** What the caller may read of a provider is enough only if the address is part of it. */
const isWhole = (row: object): row is ProxySettings =>
  'external_host' in row && 'mode' in row && 'cookie_domain' in row;

/** Above the members of a proxy provider. */
export function AboveProxyProvider({ object }: BannerProps) {
  return (
    <>
      <Unassigned object={object} />
      {isWhole(object.row) && (
        <ForwardAuthCard
          provider={object.row}
          path={object.may.includes('change') ? `/providers/proxy/${object.pk}/` : null}
        />
      )}
    </>
  );
}

const hostPort = /^[\w.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i;

interface Props {
  readonly provider: ProxySettings;
  /** The API path of the provider, for who may test it. */
  readonly path: string | null;
}

/** The configuration of the reverse proxy in front of an application, filled in, and its test. */
export function ForwardAuthCard({ provider, path }: Props) {
  const { mode, external_host, internal_host, cookie_domain } = provider;
  const [name, setName] = useState(configurations[0]?.name ?? '');
  const [gatehouse, setGatehouse] = useState('127.0.0.1:9000');
  const [upstream, setUpstream] = useState(URL.parse(internal_host)?.host || '127.0.0.1:8080');
  const external = readAddress(external_host);
  const isDomain = mode === 'forward_domain';
  const [host, setHost] = useState(isDomain ? `app.${cookie_domain}` : '');
  const title = useId();
  if (!external) return null;
  const application = isDomain ? readAddress(`${external.protocol}//${host}`) : external;
  // A domain is often served at the address of Gatehouse itself, whose own configuration leads there.
  const signIn = isDomain && external.host !== location.host ? external : null;
  const chosen = configurations.find((one) => one.name === name);
  const isComplete = hostPort.test(gatehouse) && (mode === 'proxy' || hostPort.test(upstream)) && application !== null;
  const setup = application && {
    mode,
    application,
    signIn,
    gatehouse,
    upstream,
  };
  return (
    <>
      <section className="card stack" aria-labelledby={title}>
        <h2 id={title}>{t('Configuration of your reverse proxy')}</h2>
        <div className="forward-auth-fields">
          <SelectField
            label={t('Reverse proxy')}
            value={name}
            choices={configurations.map((one) => ({ value: one.name, label: one.name }))}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {isDomain && (
            <TextField
              label={t('Host of the application')}
              hint={t('Any host of the domain; repeat the configuration for each application.')}
              value={host}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget }) => setHost(currentTarget.value.trim())}
            />
          )}
          <TextField
            label={t('Gatehouse, as the proxy reaches it')}
            value={gatehouse}
            errors={hostPort.test(gatehouse) ? [] : [t('Enter a host and a port, such as 10.0.0.5:8080.')]}
            spellCheck={false}
            autoComplete="off"
            onChange={({ currentTarget }) => setGatehouse(currentTarget.value.trim())}
          />
          {mode !== 'proxy' && (
            <TextField
              label={t('The application, as the proxy reaches it')}
              value={upstream}
              errors={hostPort.test(upstream) ? [] : [t('Enter a host and a port, such as 10.0.0.5:8080.')]}
              spellCheck={false}
              autoComplete="off"
              onChange={({ currentTarget }) => setUpstream(currentTarget.value.trim())}
            />
          )}
        </div>
        <Notice tone="warn">
          {t(
            'Gatehouse reads headers of your proxy only if GATEHOUSE_TRUSTED_PROXIES has its address. Nobody should reach the application but through the proxy.',
          )}
        </Notice>
        {isComplete &&
          setup &&
          chosen?.files(setup).map((file) => (
            <div key={file.name} className="stack-tight">
              <div className="page-head-row">
                <h3>
                  <bdi>{file.name}</bdi>
                </h3>
                <CopyButton text={file.text}>{t('Copy all')}</CopyButton>
              </div>
              <Code text={file.text} />
            </div>
          ))}
      </section>
      {path !== null && <ProxyTest path={path} host={isDomain ? host : null} />}
    </>
  );
}
