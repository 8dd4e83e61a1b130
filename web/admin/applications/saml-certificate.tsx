import { useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { SAMLMetadata } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { CopyRows } from '../parts/copy-rows.tsx';

interface Certificate {
  readonly metadata: string;
  readonly pem: string | null;
  readonly fingerprints: readonly { readonly label: string; readonly text: string }[];
}

/** What SAML applications ask for beside addresses: the metadata file, and the certificate in it. */
export function SamlCertificate({ provider, slug }: { provider: string; slug: string }) {
  const read = useLoadable(useCallback(() => findCertificate(provider), [provider]));
  return (
    <section className="card stack" aria-label={t('Metadata and certificate')}>
      <h2>{t('Metadata and certificate')}</h2>
      <Loaded {...read}>
        {({ metadata, pem, fingerprints }) => (
          <>
            {pem === null && <Notice tone="warn">{t('There is no key pair to sign with.')}</Notice>}
            <CopyRows rows={fingerprints} />
            <div className="row">
              <Button onClick={() => saveText(metadata, `${slug}-metadata.xml`)}>{t('Download metadata')}</Button>
              {pem !== null && (
                <>
                  <CopyButton text={pem}>{t('Copy the certificate')}</CopyButton>
                  <Button onClick={() => saveText(pem, `${slug}-certificate.pem`)}>
                    {t('Download the certificate')}
                  </Button>
                </>
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** From the metadata, which are public: it takes no right to certificates. */
async function findCertificate(provider: string): Promise<Certificate> {
  const { metadata } = await apiFetch<SAMLMetadata>('GET', `${provider}metadata/`);
  const [, base64 = ''] = /<(?:\w+:)?X509Certificate>([^<]+)</.exec(metadata) ?? [];
  const bare = base64.replaceAll(/\s+/g, '');
  if (bare === '') return { metadata, pem: null, fingerprints: [] };
  const lines = bare.match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  const bytes = Uint8Array.from(atob(bare), (sign) => sign.charCodeAt(0));
  const fingerprints = await Promise.all(
    ['SHA-256', 'SHA-1'].map(async (hash) => ({
      label: t('Fingerprint ({hash})', { hash }),
      text: await fingerprintOf(bytes, hash),
    })),
  );
  return { metadata, pem, fingerprints: fingerprints.filter(({ text }) => text !== '') };
}

/** Browsers hash only where the page came over TLS or from the same computer. */
async function fingerprintOf(bytes: Uint8Array<ArrayBuffer>, hash: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return '';
  const digest = new Uint8Array(await crypto.subtle.digest(hash, bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
}

function saveText(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
