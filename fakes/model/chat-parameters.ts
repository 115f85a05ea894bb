import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';

/** The arguments that the fake model accepts. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
  'user',
  'verbosity',
]);

/** The form of a value in words, and its check. */
type FieldRule = readonly [string, (value: unknown) => boolean];

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const FIELD_RULES: Readonly<Record<string, FieldRule>> = {
  model: ['a non-empty string', (value) => typeof value === 'string' && value !== ''],
  max_completion_tokens: ['a positive whole number', isCount],
  max_tokens: ['a positive whole number', isCount],
  temperature: ['a number from 0 to 2', (value) => typeof value === 'number' && value >= 0 && value <= 2],
  reasoning_effort: ['a word', (value) => typeof value === 'string' && /^[a-z]+$/.test(value)],
  prompt_cache_key: ['a non-empty string', (value) => typeof value === 'string' && value !== ''],
  stream: ['true or false', (value) => typeof value === 'boolean'],
  stream_options: [
    'an object with include_usage',
    (value) => isRecord(value) && typeof value['include_usage'] === 'boolean' && Object.keys(value).length === 1,
  ],
  tool_choice: ['none, auto or required', (value) => ['none', 'auto', 'required'].includes(String(value))],
};

/** The violated rules of a request's arguments, other than its messages and tools. */
export function checkParameters(body: JsonObject): readonly string[] {
  const fields = Object.entries({ model: undefined, ...body });
  const invalid = fields.filter(([name, value]) => FIELD_RULES[name]?.[1](value) === false);
  return [
    ...Object.keys(body)
      .filter((name) => !KNOWN_FIELDS.has(name))
      .map((name) => `${name}: is not an argument this endpoint knows`),
    ...invalid.map(([name]) => `${name}: must be ${FIELD_RULES[name]?.[0]}`),
    ...(body['stream_options'] !== undefined && body['stream'] !== true
      ? ['stream_options: is only allowed when stream is true']
      : []),
    ...(body['tool_choice'] !== undefined && body['tools'] === undefined
      ? ['tool_choice: is only allowed when tools are given']
      : []),
    ...(body['max_tokens'] !== undefined && body['max_completion_tokens'] !== undefined
      ? ['max_tokens: cannot be set together with max_completion_tokens']
      : []),
  ];
}
