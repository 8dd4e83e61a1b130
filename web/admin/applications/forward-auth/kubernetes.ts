import { type ConfigurationFile, headersOf, isSecure, type Setup } from './setup.ts';

/** For the ingress controller that is built on nginx. */
export function kubernetes(setup: Setup): ConfigurationFile[] {
  const { application, signIn, gatehouse, upstream, mode } = setup;
  const name = application.hostname.replaceAll('.', '-');
  const [host = '', port = '80'] = gatehouse.split(':');
  const [service = '', servicePort = '80'] = upstream.split(':');
  const tls = (url: URL) =>
    isSecure(url)
      ? `\n  tls:\n    - hosts: [${url.hostname}]\n      secretName: ${url.hostname.replaceAll('.', '-')}-tls`
      : '';
  const ingress = (
    { id, url, annotations, path }: { id: string; url: URL; annotations: string; path: string },
    [to, at]: readonly [string, string],
  ) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${id}${annotations}
spec:
  ingressClassName: nginx${tls(url)}
  rules:
    - host: ${url.hostname}
      http:
        paths:
          - path: ${path}
            pathType: Prefix
            backend: { service: { name: ${to}, port: { number: ${at} } } }
`;
  const toGatehouse = [host.split('.')[0] ?? host, port] as const;
  if (mode === 'proxy') {
    const annotations = `
  annotations:
    # Uploads and event streams pass as they come.
    nginx.ingress.kubernetes.io/proxy-buffering: "off"
    nginx.ingress.kubernetes.io/proxy-request-buffering: "off"
    nginx.ingress.kubernetes.io/proxy-body-size: "0"
    nginx.ingress.kubernetes.io/proxy-read-timeout: "600"`;
    return [
      { name: 'ingress.yaml', text: ingress({ id: name, url: application, annotations, path: '/' }, toGatehouse) },
    ];
  }
  const checked = `
  annotations:
    # The check names the whole address in X-Original-URL by itself, and replaces these headers, whatever the client has sent.
    # Headers with "_" are dropped as long as the controller does not have enable-underscores-in-headers.
    nginx.ingress.kubernetes.io/auth-url: http://${gatehouse}/outpost.gatehouse/auth/nginx
    nginx.ingress.kubernetes.io/auth-signin: ${application.origin}/outpost.gatehouse/start?rd=$scheme://$http_host$escaped_request_uri
    nginx.ingress.kubernetes.io/auth-response-headers: ${headersOf(setup).join(',')}
    nginx.ingress.kubernetes.io/proxy-buffer-size: 16k`;
  const documents = [
    ingress({ id: name, url: application, annotations: checked, path: '/' }, [service, servicePort]),
    ingress({ id: `${name}-gatehouse`, url: application, annotations: '', path: '/outpost.gatehouse' }, toGatehouse),
    ...(signIn
      ? [
          ingress(
            {
              id: `${signIn.hostname.replaceAll('.', '-')}-gatehouse`,
              url: signIn,
              annotations: '',
              path: '/outpost.gatehouse',
            },
            toGatehouse,
          ),
        ]
      : []),
  ];
  return [{ name: 'ingress.yaml', text: documents.join('---\n') }];
}
