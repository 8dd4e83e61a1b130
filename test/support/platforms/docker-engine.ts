import { createHash, randomBytes } from 'node:crypto';
import { type Document, type JsonAnswer, type JsonServer, Refusal, startJsonServer } from '../json-server.ts';
import { createApiCheck } from './api-description.ts';
import { dockerDescription } from './docker-description.ts';

export interface TestEngine extends JsonServer {
  readonly containers: Map<string, Document>;
  readonly images: Set<string>;
  /** What a registry has to be pulled. */
  readonly registry: Set<string>;
  /** Requests that the published description does not allow. */
  readonly violations: string[];
  readonly byName: (name: string) => Document | undefined;
  /** The changing requests since the last call: `POST create gate-a`. */
  changes(): string[];
}

/** A server that behaves like the Docker Engine API, as far as deploying a container takes. */
export async function startEngine(
  listen: Parameters<typeof startJsonServer>[1],
  versions = { ApiVersion: '1.51', MinAPIVersion: '1.24' },
): Promise<TestEngine> {
  const check = createApiCheck(dockerDescription);
  const [containers, images, registry] = [new Map<string, Document>(), new Set<string>(), new Set<string>()];
  const violations: string[] = [];
  let changes: string[] = [];
  const byName = (name: string) => [...containers.values()].find(({ Name }) => Name === `/${name}`);
  const find = (idOrName: string): Document => {
    const found = containers.get(idOrName) ?? byName(idOrName);
    if (!found) throw new Refusal(404, { message: `No such container: ${idOrName}` });
    return found;
  };
  const checkName = (name: string) => {
    if (!byName(name)) return;
    throw new Refusal(409, { message: `Conflict. The container name "/${name}" is already in use.` });
  };
  const server = await startJsonServer((request) => {
    const [prefix = '', ...rest] = request.segments;
    const isVersioned = /^v1\.\d+$/.test(prefix);
    const path = isVersioned ? rest : request.segments;
    if (!isVersioned && path[0] !== 'version') violations.push('a path without a version');
    if (isVersioned && Number(prefix.slice(3)) > Number(versions.ApiVersion.slice(2)))
      return { status: 400, body: { message: `client version ${prefix.slice(1)} is too new.` } };
    const complaints = check.complaintsAbout(request, joinImage(path), request.text === '' ? undefined : request.body);
    violations.push(...complaints);
    if (complaints.length > 0) return { status: 400, body: { message: complaints.join('; ') } };
    const [collection, id = '', verb] = joinImage(path);
    const answer = respond(request.method, collection ?? '', id, verb, request.query, request.body);
    check.checkAnswer(request, joinImage(path), answer);
    return answer;
  }, listen);

  function respond(
    method: string,
    collection: string,
    id: string,
    verb: string | undefined,
    query: URLSearchParams,
    body: Document,
  ): JsonAnswer {
    if (collection === 'version') return { status: 200, body: { Version: '28.1.0', ...versions } };
    if (collection === 'images') return image(method, id, query);
    if (id === 'json') {
      const { label = [] } = JSON.parse(query.get('filters') ?? '{}');
      const found = [...containers.values()].filter(({ Config }) =>
        label.every((one: string) => `${Config.Labels[one.split('=')[0] ?? '']}` === one.split('=')[1]),
      );
      return { status: 200, body: found.map(({ Id, Name, Config }) => ({ Id, Names: [Name], Labels: Config.Labels })) };
    }
    if (method === 'GET') return { status: 200, body: find(id) };
    changes.push([method, verb ?? id, query.get('name')].filter((part) => part && !containers.has(part)).join(' '));
    if (id === 'create') return create(query.get('name') ?? '', body);
    const container = find(id);
    const { State } = container;
    if (method === 'DELETE') {
      if (State.Running && query.get('force') !== 'true')
        throw new Refusal(409, { message: 'You cannot remove a running container.' });
      containers.delete(container.Id);
      return { status: 204 };
    }
    if (verb === 'rename') {
      checkName(query.get('name') ?? '');
      container.Name = `/${query.get('name')}`;
      return { status: 204 };
    }
    const isRunning = verb !== 'stop';
    if (verb !== 'restart' && State.Running === isRunning) return { status: 304 };
    container.State = { Status: isRunning ? 'running' : 'exited', Running: isRunning, Health: { Status: 'starting' } };
    return { status: 204 };
  }

  function image(method: string, name: string, query: URLSearchParams): JsonAnswer {
    if (method === 'GET') {
      if (!images.has(name)) throw new Refusal(404, { message: `No such image: ${name}` });
      return { status: 200, body: { Id: `sha256:${createHash('sha256').update(name).digest('hex')}` } };
    }
    const wanted = `${query.get('fromImage')}:${query.get('tag')}`;
    changes.push(`POST pull ${wanted}`);
    if (!registry.has(wanted))
      return { status: 404, body: { message: `pull access denied for "${query.get('fromImage')}"` } };
    images.add(wanted);
    return { status: 200, body: { status: `Status: Downloaded newer image for ${wanted}` } };
  }

  function create(name: string, { HostConfig, Env = [], Labels = {}, ...config }: Document): JsonAnswer {
    checkName(name);
    if (!images.has(config.Image)) throw new Refusal(404, { message: `No such image: ${config.Image}` });
    const Id = randomBytes(32).toString('hex');
    const bindings = Object.entries<Document[]>(HostConfig.PortBindings ?? {}).map(([port, bound]) => [
      port,
      bound.map((one) => ({ HostIp: '', ...one })),
    ]);
    containers.set(Id, {
      Id,
      Name: `/${name}`,
      State: { Status: 'created', Running: false },
      // The image adds some of its own.
      Config: { ...config, Env: [...Env, 'PATH=/usr/local/bin:/usr/bin:/bin'], Labels: { vendor: 'image', ...Labels } },
      HostConfig: {
        ...{ NetworkMode: 'bridge', ...HostConfig, PortBindings: Object.fromEntries(bindings) },
        RestartPolicy: { MaximumRetryCount: 0, ...HostConfig.RestartPolicy },
      },
    });
    return { status: 201, body: { Id, Warnings: [] } };
  }

  return Object.assign(server, {
    ...{ containers, images, registry, violations, byName },
    changes() {
      const before = changes;
      changes = [];
      return before;
    },
  });
}

/** The name of an image may hold slashes. */
const joinImage = (path: readonly string[]): readonly string[] =>
  path[0] === 'images' && path.at(-1) === 'json' ? ['images', path.slice(1, -1).join('/'), 'json'] : path;
