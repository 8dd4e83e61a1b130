/** One server of a directory. */
export interface DirectoryServer {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

const maxServers = 10;

/** The servers of a `server_uri`: `ldap://` and `ldaps://` addresses separated by commas; null if it is malformed. */
export function parseServerUri(text: string): DirectoryServer[] | null {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > maxServers) return null;
  const servers: DirectoryServer[] = [];
  for (const part of parts) {
    const url = URL.parse(part);
    if (!url || !['ldap:', 'ldaps:'].includes(url.protocol)) return null;
    if (url.hostname === '' || url.username || url.password || url.search || url.hash) return null;
    if (!['', '/'].includes(url.pathname)) return null;
    const isTls = url.protocol === 'ldaps:';
    const usual = isTls ? 636 : 389;
    const port = url.port === '' ? usual : Number(url.port);
    if (port === 0) return null;
    servers.push({ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isTls });
  }
  return servers;
}

/** The address as it is shown to administrators. */
export const serverName = ({ host, port, isTls }: DirectoryServer): string =>
  `${isTls ? 'ldaps' : 'ldap'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
