import { t } from '../../texts/texts.ts';

// Private, loopback, link-local and shared addresses (RFC 1918, 4193, 3927, 6598).
const local =
  /^(10\.|127\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd]|fe[89ab])/i;

const isLocal = (address: string): boolean => local.test(address.replace(/^::ffff:(?=\d+\.)/i, ''));

/** The address of a client, and whether it is one of a local network. */
export const ClientAddress = ({ address }: { address: string }) => (
  <span>
    <bdi>{address}</bdi>
    {isLocal(address) && ` (${t('local network')})`}
  </span>
);
