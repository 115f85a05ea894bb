import type { JsonObject } from '../lib/json.ts';
import { checkFields, type FieldRules, FORMS, objectWith } from './fields.ts';

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

const FIELD_RULES: FieldRules = {
  model: FORMS.text,
  max_completion_tokens: FORMS.count,
  max_tokens: FORMS.count,
  temperature: FORMS.temperature,
  reasoning_effort: ['a word', (value) => typeof value === 'string' && /^[a-z]+$/.test(value)],
  prompt_cache_key: FORMS.text,
  stream: FORMS.boolean,
  stream_options: objectWith('include_usage', (value) => typeof value === 'boolean'),
  tool_choice: FORMS.toolChoice,
};

/** The violated rules of a request's arguments, other than its messages and tools. */
export function checkParameters(body: JsonObject): readonly string[] {
  return [
    ...checkFields(body, KNOWN_FIELDS, FIELD_RULES),
    ...(body['stream_options'] !== undefined && body['stream'] !== true
      ? ['stream_options: is only allowed when stream is true']
      : []),
    ...(body['max_tokens'] !== undefined && body['max_completion_tokens'] !== undefined
      ? ['max_tokens: cannot be set together with max_completion_tokens']
      : []),
  ];
}
