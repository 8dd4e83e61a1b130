/** What the configuration of a reverse proxy is made from. */
export interface Setup {
  readonly mode: 'forward_single' | 'forward_domain' | 'proxy';
  /** The address at which people open the application. */
  readonly application: URL;
  /**
   * With the mode `forward_domain`: the address at which people sign in, where it is not that of Gatehouse; null
   * otherwise.
   */
  readonly signIn: URL | null;
  /** Where the proxy reaches Gatehouse and the application: a host and a port. */
  readonly gatehouse: string;
  readonly upstream: string;
}

/** A file of the proxy's configuration. */
export interface ConfigurationFile {
  readonly name: string;
  readonly text: string;
}

/** Who the user is, to the application: the headers of the responses that let a request pass. */
export const identityHeaders = [
  ...['X-Gatehouse-Username', 'X-Gatehouse-Groups', 'X-Gatehouse-Entitlements', 'X-Gatehouse-Email'],
  ...['X-Gatehouse-Name', 'X-Gatehouse-Uid', 'X-Gatehouse-Jwt'],
  ...['X-Gatehouse-Meta-Jwks', 'X-Gatehouse-Meta-Outpost', 'X-Gatehouse-Meta-Provider', 'X-Gatehouse-Meta-App'],
  'X-Gatehouse-Meta-Version',
  ...['Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name'],
] as const;

/** What the responses set for the application: Authorization, too, without an app password. */
export const copiedHeaders = [...identityHeaders, 'Authorization'] as const;

/** By these, applications that read them would be led to another path than the checked one. */
export const pathHeaders = [
  ...['X-Original-URL', 'X-Original-URI', 'X-Original-Host', 'X-Original-Method', 'X-Rewrite-URL'],
] as const;

/** The spellings with `_` that CGI and its descendants take for the same name. */
export function foldedSpellings(name: string): string[] {
  const spelled = name
    .split('-')
    .reduce<string[]>(
      (all, part) => (all.length === 0 ? [part] : all.flatMap((one) => [`${one}-${part}`, `${one}_${part}`])),
      [],
    );
  return spelled.filter((one) => one.includes('_'));
}

export const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

/** A list of the proxy's language, one line for each. */
export const eachLine = (names: readonly string[], line: (name: string) => string): string =>
  names.map(line).join('\n');

export const isSecure = ({ protocol }: URL): boolean => protocol === 'https:';
