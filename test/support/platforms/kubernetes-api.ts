import { type Document, type JsonAnswer, type JsonServer, Refusal, startJsonServer } from '../json-server.ts';
import { createApiCheck } from './api-description.ts';
import { kubernetesDescription } from './kubernetes-description.ts';

export interface TestCluster extends JsonServer {
  /** By `namespace/plural/name`. */
  readonly objects: Map<string, Document>;
  readonly violations: string[];
  /** The changing requests since the last call: `PATCH default/secrets/gate`. */
  changes(): string[];
}

const status = (code: number, reason: string, message: string): JsonAnswer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: code < 400 ? 'Success' : 'Failure', reason, message, code },
});

/** A server that behaves like the Kubernetes API, as far as deploying takes: with server-side apply. */
export async function startCluster(tls: { cert: string; key: string }, token: string): Promise<TestCluster> {
  const check = createApiCheck(kubernetesDescription);
  const objects = new Map<string, Document>();
  const violations: string[] = [];
  let changes: string[] = [];
  let versions = 0;
  const server = await startJsonServer(
    (request) => {
      const { method, segments, headers, query, text } = request;
      const body = text === '' ? undefined : JSON.parse(text);
      const complaints = check.complaintsAbout(request, segments, body);
      violations.push(...complaints);
      const answer = respond();
      check.checkAnswer(request, segments, answer);
      return answer;

      function respond(): JsonAnswer {
        if (headers.authorization !== `Bearer ${token}`) return status(401, 'Unauthorized', 'Unauthorized');
        if (complaints.length > 0) return status(422, 'Invalid', complaints.join('; '));
        if (segments[0] === 'version') return { status: 200, body: { gitVersion: 'v1.34.1' } };
        const [namespace, plural, name] = segments.slice(segments.indexOf('namespaces') + 1);
        const key = `${namespace}/${plural}/${name}`;
        if (name === undefined) return { status: 200, body: { items: listIn(`${namespace}/${plural}/`) } };
        if (method !== 'GET') changes.push(`${method} ${key}`);
        if (method === 'PATCH') return apply(key, body, query);
        const found = objects.get(key);
        if (!found) return status(404, 'NotFound', `${plural} "${name}" not found`);
        if (method === 'GET') return { status: 200, body: shown(found) };
        const { uid } = body?.preconditions ?? {};
        if (uid !== undefined && uid !== found.metadata.uid)
          return status(409, 'Conflict', `the UID in the precondition (${uid}) does not match`);
        objects.delete(key);
        return status(200, 'Success', '');
      }

      function listIn(prefix: string): Document[] {
        const selected = (query.get('labelSelector') ?? '').split(',').map((one) => one.split('='));
        return [...objects]
          .filter(([key]) => key.startsWith(prefix))
          .map(([, object]) => shown(object))
          .filter(({ metadata }) => selected.every(([name = '', value]) => metadata.labels?.[name] === value));
      }
    },
    { tls },
  );

  /** Each manager owns what it has applied: what it leaves out the next time goes. */
  function apply(key: string, body: Document, query: URLSearchParams): JsonAnswer {
    const [namespace, plural, name] = key.split('/');
    if (body.metadata.name !== name || (body.metadata.namespace ?? namespace) !== namespace)
      throw new Refusal(409, { message: 'the name of the object does not match the name on the URL' });
    const before = objects.get(key);
    const manager = query.get('fieldManager') ?? '';
    if (before && before.manager !== manager && query.get('force') !== 'true')
      return status(409, 'Conflict', `Apply failed with 1 conflict: conflict with "${before.manager}"`);
    if (before && plural === 'deployments') {
      const [old, wanted] = [before, body].map(({ spec }) => JSON.stringify(spec.selector));
      if (old !== wanted) return status(422, 'Invalid', 'spec.selector: field is immutable');
    }
    versions += 1;
    const uid = before?.metadata.uid ?? crypto.randomUUID();
    const metadata = { ...body.metadata, namespace, uid, resourceVersion: String(versions) };
    const object = { ...body, metadata, manager, ...(plural === 'deployments' && { status: { readyReplicas: 1 } }) };
    objects.set(key, object);
    return { status: before ? 200 : 201, body: shown(object) };
  }

  const shown = ({ manager: _, ...object }: Document): Document => object;

  return Object.assign(server, {
    ...{ objects, violations },
    changes() {
      const before = changes;
      changes = [];
      return before;
    },
  });
}
