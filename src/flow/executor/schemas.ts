import { capitalized } from '../../lib/spell-out.ts';
import { arrayOf, type JsonSchema, objectSchema, stringSchema } from '../../resource/document/json-schema.ts';
import { requestSchema } from '../../resource/document/schemas.ts';
import { flowLayouts } from '../layouts.ts';
import { confirmScreen, deniedComponent, faultComponent, redirectComponent } from './challenge.ts';
import { pendingUserSchemas } from './pending-user.ts';
import type { StageKind, StageScreen } from './stage-kind.ts';

const flowInfo: JsonSchema = {
  type: 'object',
  properties: {
    title: stringSchema,
    background: stringSchema,
    cancel_url: stringSchema,
    layout: { type: 'string', enum: flowLayouts },
  },
  required: ['title', 'background', 'cancel_url', 'layout'],
};

const responseErrors: JsonSchema = {
  type: 'object',
  additionalProperties: arrayOf(objectSchema({ string: stringSchema, code: stringSchema })),
};

const deniedMembers = {
  ...pendingUserSchemas,
  error_message: stringSchema,
  to: { ...stringSchema, description: 'Where the person may go on; absent when nowhere.' },
  application_name: {
    ...stringSchema,
    description:
      'The application that `to` leads back to, and that learns there of the denial; absent for other places.',
  },
};

function challengeSchema({ component, challenge, sometimes = [] }: StageScreen): JsonSchema {
  return {
    type: 'object',
    properties: {
      flow_info: flowInfo,
      component: { type: 'string', enum: [component] },
      response_errors: responseErrors,
      ...challenge,
    },
    required: [
      'component',
      ...(component === redirectComponent ? [] : ['flow_info']),
      ...Object.keys(challenge).filter((name) => !sometimes.includes(name)),
    ],
  };
}

const screensOf = (kinds: readonly StageKind[]): StageScreen[] =>
  kinds.flatMap((kind) => [kind, ...(kind.otherScreens ?? [])]);

/** The executor's own screens. */
const ownScreens: readonly StageScreen[] = [
  { component: redirectComponent, challenge: { to: stringSchema } },
  { component: deniedComponent, challenge: deniedMembers, sometimes: ['to', 'application_name'] },
  confirmScreen,
  { component: faultComponent, challenge: { request_id: stringSchema, error: stringSchema } },
];

/** The schemas of all challenges, discriminated by `component`. */
export function challengeTypes(kinds: readonly StageKind[]): {
  readonly union: JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const screens = new Map([...screensOf(kinds), ...ownScreens].map((screen) => [screen.component, screen]));
  const named = [...screens.values()].map((screen) => [screen.component, nameOf(screen), screen] as const);
  const at = (name: string) => `#/components/schemas/${name}`;
  return {
    union: {
      oneOf: named.map(([, name]) => ({ $ref: at(name) })),
      discriminator: {
        propertyName: 'component',
        mapping: Object.fromEntries(named.map(([component, name]) => [component, at(name)])),
      },
    },
    schemas: Object.fromEntries(named.map(([, name, screen]) => [name, challengeSchema(screen)])),
  };
}

/** `xak-stage-access-denied` becomes `AccessDeniedChallenge`. */
function nameOf({ component }: StageScreen): string {
  const words = component
    .replace(/^xak-(stage|flow)-/, '')
    .replace(/^xak-/, '')
    .split('-');
  return `${words.map(capitalized).join('')}Challenge`;
}

/** The schema of all answers. */
export function answerTypes(kinds: readonly StageKind[]): JsonSchema {
  return {
    anyOf: [...screensOf(kinds), ...ownScreens.filter(({ answer }) => answer)].map(({ component, answer = {} }) => {
      const schema = requestSchema(answer, true);
      return { ...schema, properties: { component: { type: 'string', default: component }, ...schema.properties } };
    }),
  };
}
