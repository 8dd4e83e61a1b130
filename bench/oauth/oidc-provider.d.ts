/** As far as the benchmark calls it: the package brings no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Stored {
    save(): Promise<string>;
  }
  interface Grant extends Stored {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
  }
  type Kind<T> = new (values: Readonly<Record<string, unknown>>) => T;

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly Grant: Kind<Grant>;
    readonly AuthorizationCode: Kind<Stored>;
    readonly RefreshToken: Kind<Stored>;
    readonly AccessToken: Kind<Stored>;
    readonly Client: { find(id: string): Promise<unknown> };
    callback(): RequestListener;
  }
}
