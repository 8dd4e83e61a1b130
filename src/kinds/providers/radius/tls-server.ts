import { createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';

/** A TLS server whose `ca` is trusted as it is: an intermediate authority without its root, too. */
export function createTlsServer(options: TlsOptions): Server {
  const server = createServer(options);
  if (options.ca === undefined) return server;
  // tls.Server ignores `allowPartialTrustChain`, so its context is replaced. Without effect, it would only be stricter.
  const _sharedCreds = createSecureContext({
    ...{ ...options, allowPartialTrustChain: true },
    ...{ honorCipherOrder: true, sessionIdContext: 'radius' },
  });
  return Object.assign(server, { _sharedCreds });
}
