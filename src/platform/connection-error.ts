const troubles: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_NONAME)$/, 'there is no such name'],
  [/^EAI_/, 'its name cannot be looked up at the moment'],
  [/^ECONNREFUSED$/, 'it accepts no connections at this port'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'there is no route to it'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'it closed the connection'],
  // Before the other certificate errors: this one is reported by the peer.
  [/_ALERT_|UNSUPPORTED_PROTOCOL/, 'it refuses the TLS version, the ciphers or the certificate of this server'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'its certificate is not valid at this time'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/CERT|_ISSUER|LEAF_SIGNATURE/, 'its certificate is not signed by an authority that this server trusts'],
  [/^(EPROTO$|ERR_SSL_)/, 'it does not speak TLS at this port'],
];

/** Why a connection failed, by Node's error code. Node's message contains the address, which must not be disclosed. */
export function describeConnectionError(code: unknown): string | null {
  const text = String(code);
  return troubles.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
