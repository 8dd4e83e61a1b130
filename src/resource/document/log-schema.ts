import { type JsonSchema, objectSchema, stringSchema, timeSchema } from './json-schema.ts';

/** A log line in API responses. */
export const logSchema: JsonSchema = objectSchema({
  timestamp: timeSchema,
  log_level: { type: 'string', enum: ['critical', 'exception', 'error', 'warn', 'warning', 'info', 'debug', 'notset'] },
  logger: stringSchema,
  event: stringSchema,
  attributes: { type: 'object', additionalProperties: true },
});
