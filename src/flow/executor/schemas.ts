import { arrayOf, type JsonSchema, objectSchema, stringSchema } from '../../resource/json-schema.ts';
import { requestSchema } from '../../resource/schemas.ts';
import { deniedComponent, faultComponent, redirectComponent } from './challenge.ts';
import type { StageKind, StageScreen } from './stage-kind.ts';

const layouts = ['stacked', 'content_left', 'content_right', 'sidebar_left', 'sidebar_right'];

const flowInfo: JsonSchema = {
  type: 'object',
  properties: {
    title: stringSchema,
    background: stringSchema,
    cancel_url: stringSchema,
    layout: { type: 'string', enum: layouts },
  },
  required: ['cancel_url', 'layout'],
};

const responseErrors: JsonSchema = {
  type: 'object',
  additionalProperties: arrayOf(objectSchema({ string: stringSchema, code: stringSchema })),
};

const deniedMembers = {
  error_message: stringSchema,
  to: { ...stringSchema, description: 'Where the person may go on; absent when nowhere.' },
  application_name: {
    ...stringSchema,
    description:
      'The application that `to` leads back to, and that learns there of the denial; absent for other places.',
  },
};

function challengeSchema(component: string, members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties: {
      flow_info: flowInfo,
      component: { type: 'string', enum: [component] },
      response_errors: responseErrors,
      ...members,
    },
    required: ['component'],
  };
}

const screensOf = (kinds: readonly StageKind[]): StageScreen[] =>
  kinds.flatMap((kind) => [kind, ...(kind.otherScreens ?? [])]);

/** Everything that a flow may show. */
export function challengeTypes(kinds: readonly StageKind[]): JsonSchema {
  return {
    anyOf: [
      challengeSchema(redirectComponent, { to: stringSchema }),
      challengeSchema(deniedComponent, deniedMembers),
      challengeSchema(faultComponent, { request_id: stringSchema, error: stringSchema }),
      ...screensOf(kinds).map(({ component, challenge }) => challengeSchema(component, challenge)),
    ],
  };
}

/** Everything that a person may answer. */
export function answerTypes(kinds: readonly StageKind[]): JsonSchema {
  return {
    anyOf: screensOf(kinds).map(({ component, answer = {} }) => {
      const schema = requestSchema(answer, true);
      return { ...schema, properties: { component: { type: 'string', default: component }, ...schema.properties } };
    }),
  };
}
