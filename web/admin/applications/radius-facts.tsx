import { useCallback } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { RadiusProvider } from '../../api/types.ts';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { CopyRows } from '../parts/copy-rows.tsx';
import { useNameOf } from '../widgets/use-name-of.ts';

/** What to enter at access points, switches and VPN gateways. */
export function RadiusFacts({ path }: { path: string }) {
  const read = useLoadable(useCallback(() => apiFetch<RadiusProvider>('GET', path), [path]));
  return (
    <Loaded {...read}>
      {({ client_networks, shared_secret, certificate, radsec_ca }) => (
        <section className="card stack" aria-label={t('For the RADIUS clients')}>
          <h2>{t('For the RADIUS clients')}</h2>
          <CopyRows
            rows={[
              { label: t('Server address'), text: location.hostname },
              { label: t('Shared secret'), text: shared_secret, isSecret: true },
              { label: t('Client networks'), text: client_networks },
            ]}
          />
          <p className="quiet">
            {t(
              'The port is GATEHOUSE_RADIUS_PORT of this server (UDP). VPN gateways use PAP; Wi-Fi uses WPA-Enterprise with EAP-TTLS or EAP-TLS. Requests from other networks get no answer.',
            )}
          </p>
          {radsec_ca !== null && (
            <p className="quiet">
              {t('With RadSec, the port is GATEHOUSE_RADSEC_PORT (TCP) and the secret is “radsec”.')}
            </p>
          )}
          {certificate === null ? (
            <p className="quiet">
              {t('Wi-Fi and RadSec need a certificate: choose a key pair in the settings of the provider.')}
            </p>
          ) : (
            <CertificateLink pk={certificate} />
          )}
        </section>
      )}
    </Loaded>
  );
}

function CertificateLink({ pk }: { pk: string }) {
  const nameOf = useNameOf('svc_crypto.certificatekeypair', [pk]);
  return (
    <p>
      {t('Certificate')} <Link href={hrefOf(`/crypto/certificatekeypairs/${pk}/`)}>{nameOf(pk)}</Link>
    </p>
  );
}
