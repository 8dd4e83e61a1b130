import { createHash } from 'node:crypto';
import type { OpenFetch } from '../../../core/outpost/fetch-version.ts';
import { DeploymentError, type OutpostToDeploy, type Platform } from '../../../core/outpost/platform.ts';
import { asObject, isSameJson, type Json, type JsonObject } from '../../../lib/json.ts';
import { type Engine, idOf, withEngine } from './engine-api.ts';

/** Marks the containers of an outpost: the only ones that are ever changed or removed. */
const outpostLabel = 'gatehouse.outpost';
/** A digest of what the container was created with. */
const digestLabel = 'gatehouse.settings';

/** Runs each outpost as one container. */
export const containerPlatform = (open: OpenFetch): Platform => ({
  placeOf: () => '',
  deploy: (outpost, work) => withEngine(open, work, (engine) => deploy(engine, outpost)),
  remove: (outpost, _place, work) =>
    withEngine(open, work, async (engine) => {
      for (const container of await ownContainers(engine, outpost)) await engine.remove(idOf(container));
    }),
});

async function deploy(engine: Engine, outpost: OutpostToDeploy): Promise<string> {
  const { name } = outpost;
  const wanted = containerOf(outpost);
  const own = await ownContainers(engine, outpost.pk);
  const current = own.find((container) => nameOf(container) === name) ?? own[0];
  const other = await engine.inspect(name);
  // An id may begin with the name.
  if (other && nameOf(other) === name && outpostOf(other) !== outpost.pk)
    throw new DeploymentError(`There is a container named ${name} already, which this outpost did not create.`);
  // Leftovers of a replacement that did not finish.
  for (const container of own) if (container !== current) await engine.remove(idOf(container));
  if (!current) {
    await provideImage(engine, outpost.image);
    await engine.start(await engine.create(name, wanted, outpost.token));
    return 'The container was created.';
  }
  if (hasDrifted(current, wanted)) return replace(engine, current, outpost, wanted);
  if (nameOf(current) !== name) await engine.rename(idOf(current), name);
  const state = asObject(current.State);
  if (asObject(state.Health).Status === 'unhealthy') {
    await engine.restart(idOf(current));
    return 'The container was unhealthy and has been restarted.';
  }
  if (state.Running !== true) await engine.start(idOf(current));
  return 'The container is running.';
}

/** The old one runs until the new one is created: what is wrong with the settings shows before it is stopped. */
async function replace(engine: Engine, old: JsonObject, { name, image, token }: OutpostToDeploy, wanted: JsonObject) {
  await provideImage(engine, image);
  const id = await engine.create(`${name}-new`, wanted, token);
  await engine.remove(idOf(old));
  await engine.rename(id, name);
  await engine.start(id);
  return 'The container was replaced.';
}

async function ownContainers(engine: Engine, outpost: string): Promise<JsonObject[]> {
  const found = await engine.list(`${outpostLabel}=${outpost}`);
  // Not every engine that speaks this API filters.
  return found.filter((container) => outpostOf(container) === outpost);
}

const labelsOf = (container: JsonObject): JsonObject => asObject(asObject(container.Config).Labels);
const outpostOf = (container: JsonObject): Json | undefined => labelsOf(container)[outpostLabel];
const nameOf = ({ Name }: JsonObject): string => (typeof Name === 'string' ? Name.replace(/^\//, '') : '');

const imagePattern = /^(?<repository>[\w.-]+(?::\d+)?(?:\/[\w.-]+)*)(?::(?<tag>[\w.-]+))?(?:@(?<digest>\w+:\w+))?$/;

async function provideImage(engine: Engine, image: string): Promise<void> {
  const { repository, tag = 'latest', digest } = imagePattern.exec(image)?.groups ?? {};
  if (!repository) throw new DeploymentError(`“${image}” is not the name of an image.`);
  if (await engine.hasImage(image)) return;
  // A name without a registry or an owner is that of an image built on the spot: a public one would not be ours.
  const complaint = image.includes('/') ? await engine.pull(repository, digest ?? tag) : '';
  if (await engine.hasImage(image)) return;
  throw new DeploymentError(
    complaint === '' ? `The engine has no image ${image}.` : `The engine cannot pull the image ${image}: ${complaint}`,
  );
}

/** The body that creates the container (`ContainerCreate`). */
function containerOf({ pk, image, args, env, token, ports, config }: OutpostToDeploy): JsonObject {
  const isMapped = config.container_map_ports !== false;
  const network = config.container_network;
  const body = {
    Image: image,
    Cmd: [...args],
    Env: Object.entries({ ...env, GATEHOUSE_TOKEN: token }).map(([name, value]) => `${name}=${value}`),
    ExposedPorts: Object.fromEntries(ports.map(({ port, protocol }) => [`${port}/${protocol}`, {}])),
    HostConfig: {
      RestartPolicy: { Name: 'unless-stopped' },
      PortBindings: Object.fromEntries(
        isMapped
          ? ports.map(({ published, port, protocol }) => [`${port}/${protocol}`, [{ HostPort: String(published) }]])
          : [],
      ),
      ...(typeof network === 'string' && network !== '' && { NetworkMode: network }),
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': 'rw,noexec,nosuid,size=64m' },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
    },
  };
  const labels = Object.entries(asObject(config.container_labels)).map(([name, value]) => [name, String(value)]);
  const digest = createHash('sha256')
    .update(JSON.stringify([body, labels]))
    .digest('hex');
  return { ...body, Labels: { ...Object.fromEntries(labels), [outpostLabel]: pk, [digestLabel]: digest } };
}

/** Whether a container differs from the one that would be created. Engines add to what they were given. */
function hasDrifted(container: JsonObject, wanted: JsonObject): boolean {
  const actual = asObject(container.Config);
  const [host, wantedHost] = [asObject(container.HostConfig), asObject(wanted.HostConfig)];
  const env = new Set(elementsOf(actual.Env));
  const isSame =
    actual.Image === wanted.Image &&
    elementsOf(wanted.Env).every((one) => env.has(one)) &&
    Object.entries(asObject(wanted.Labels)).every(([name, value]) => labelsOf(container)[name] === value) &&
    isSameJson(hostPorts(host.PortBindings), hostPorts(wantedHost.PortBindings)) &&
    asObject(host.RestartPolicy).Name === asObject(wantedHost.RestartPolicy).Name;
  return !isSame;
}

const hostPorts = (bindings: Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(asObject(bindings)).map(([port, bound]) => [
      port,
      elementsOf(bound).map((one) => asObject(one).HostPort ?? ''),
    ]),
  );

const elementsOf = (list: Json | undefined): readonly Json[] => (Array.isArray(list) ? list : []);
