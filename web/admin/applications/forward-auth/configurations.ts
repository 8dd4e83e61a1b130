import { caddy } from './caddy.ts';
import { envoy } from './envoy.ts';
import { haproxy } from './haproxy.ts';
import { kubernetes } from './kubernetes.ts';
import { nginx, nginxProxyManager } from './nginx.ts';
import type { ConfigurationFile, Setup } from './setup.ts';
import { traefikFile, traefikLabels } from './traefik.ts';

/** The reverse proxies for which there is a configuration, by the names that people know. */
export const configurations: readonly {
  readonly name: string;
  readonly files: (setup: Setup) => ConfigurationFile[];
}[] = [
  { name: 'nginx', files: nginx },
  { name: 'Nginx Proxy Manager', files: nginxProxyManager },
  { name: 'Caddy', files: caddy },
  { name: 'Traefik', files: traefikFile },
  { name: 'Traefik (Docker)', files: traefikLabels },
  { name: 'HAProxy', files: haproxy },
  { name: 'Envoy', files: envoy },
  { name: 'Kubernetes ingress-nginx', files: kubernetes },
];
