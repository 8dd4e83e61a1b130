import { randomText } from '../../src/platform/random.ts';
import type { TestServer } from './server.ts';

export const unique = (word: string): string => `${word}-${randomText(8).toLowerCase()}`;

/** The key of a flow. */
export const flowKey = async ({ admin }: Pick<TestServer, 'admin'>, slug: string): Promise<string> =>
  (await admin.get(`/flows/instances/${slug}/`)).body.pk;

export interface Walk {
  readonly pk: string;
  readonly slug: string;
  /** Keys of the stages and of their bindings' policy targets, in order. */
  readonly stages: readonly string[];
  readonly bindings: readonly { readonly pk: string; readonly target: string }[];
}

type StageValues = readonly [kind: string, values?: Record<string, unknown>, binding?: Record<string, unknown>];

/** A flow of these stages, made through the API: `[['dummy'], ['user_login', { session_duration: 'hours=1' }]]`. */
export async function makeWalk(
  server: TestServer,
  stages: readonly StageValues[],
  values: Record<string, unknown> = {},
): Promise<Walk> {
  const slug = unique('walk');
  const flow = await made(server, '/flows/instances/', {
    name: slug,
    slug,
    title: slug,
    designation: 'stage_configuration',
    authentication: 'none',
    ...values,
  });
  const keys: string[] = [];
  const bindings: Walk['bindings'][number][] = [];
  for (const [order, [kind, settings = {}, binding = {}]] of stages.entries()) {
    const stage = await made(server, `/stages/${kind}/`, { name: unique(kind.replaceAll('/', '-')), ...settings });
    const bound = await made(server, '/flows/bindings/', { target: flow.pk, stage: stage.pk, order, ...binding });
    keys.push(stage.pk);
    bindings.push({ pk: bound.pk, target: bound.policybindingmodel_ptr_id });
  }
  return { pk: flow.pk, slug, stages: keys, bindings };
}

/** Creates an object as the administrator. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
export async function made({ admin }: TestServer, path: string, values: Record<string, unknown>): Promise<any> {
  const answer = await admin.post(path, values);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

/** Binds an expression to a target. */
export async function bindExpression(server: TestServer, target: string, expression: string): Promise<void> {
  const policy = await made(server, '/policies/expression/', { name: unique('policy'), expression });
  await made(server, '/policies/bindings/', { target, policy: policy.pk, order: 0 });
}

/** A prompt with a key of its own. */
export async function makePrompt(
  server: TestServer,
  field_key: string,
  type: string,
  values: Record<string, unknown> = {},
): Promise<string> {
  const prompt = { name: unique('prompt'), field_key, label: field_key, type, ...values };
  return (await made(server, '/stages/prompt/prompts/', prompt)).pk;
}
