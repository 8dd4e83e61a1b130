import { type ConfigurationFile, copiedHeaders, eachLine, isSecure, pathHeaders, type Setup } from './setup.ts';

/** What Gatehouse serves itself: not the answers to checks, which are for the controller alone. */
const ownPaths = ['start', 'callback', 'sign_out'].map((name) => `/outpost.gatehouse/${name}`);

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
    { id, url, annotations, paths }: { id: string; url: URL; annotations: string; paths: readonly string[] },
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
${eachLine(
  paths,
  (path) => `          - path: ${path}
            pathType: Prefix
            backend: { service: { name: ${to}, port: { number: ${at} } } }`,
)}
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
      { name: 'ingress.yaml', text: ingress({ id: name, url: application, annotations, paths: ['/'] }, toGatehouse) },
    ];
  }
  const checked = `
  annotations:
    # The check names the whole address in X-Original-URL by itself, and replaces these headers, whatever the client has sent.
    # Headers with "_" are dropped as long as the controller does not have enable-underscores-in-headers.
    # If the application reads ${pathHeaders.slice(0, 2).join(' or ')}, clear them by the ConfigMap of proxy-set-headers.
    nginx.ingress.kubernetes.io/auth-url: http://${gatehouse}/outpost.gatehouse/auth/nginx
    nginx.ingress.kubernetes.io/auth-signin: ${application.origin}/outpost.gatehouse/start?rd=$scheme://$http_host$escaped_request_uri
    nginx.ingress.kubernetes.io/auth-response-headers: ${copiedHeaders.join(',')}
    nginx.ingress.kubernetes.io/proxy-buffer-size: 16k`;
  const documents = [
    ingress({ id: name, url: application, annotations: checked, paths: ['/'] }, [service, servicePort]),
    ingress({ id: `${name}-gatehouse`, url: application, annotations: '', paths: ownPaths }, toGatehouse),
    ...(signIn
      ? [
          ingress(
            {
              id: `${signIn.hostname.replaceAll('.', '-')}-gatehouse`,
              url: signIn,
              annotations: '',
              paths: ownPaths,
            },
            toGatehouse,
          ),
        ]
      : []),
  ];
  return [{ name: 'ingress.yaml', text: documents.join('---\n') }];
}
