import { z } from 'zod';
import type { OpaqueObject, ToolCall } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type { ModelAnswer, SentMembers } from './model-wire.ts';
import { truncateArguments } from './tool-calls.ts';
import { parseUsage } from './usage.ts';

/** Maximum length of a call's id. Some gateways put the signature of a thought into it, which has thousands. */
const MAX_ID_CHARACTERS = 32_768;

/** Maximum length of a call's name as the model wrote it. */
const MAX_WRITTEN_NAME_CHARACTERS = 1_000;

const WireToolCall = z.object({
  id: z.string().min(1).max(MAX_ID_CHARACTERS),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string().max(MAX_WRITTEN_NAME_CHARACTERS), arguments: z.string() }),
});

/** Maximum length of a response in UTF-16 units. Each later request of the run contains the response. */
const MAX_CONTENT_CHARACTERS = 200_000;

/** Maximum number of tool calls in a response. Each later request of the run contains them. */
const MAX_ACCEPTED_TOOL_CALLS = 1_000;

const WireChoice = z.object({
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(WireToolCall).max(MAX_ACCEPTED_TOOL_CALLS).nullish(),
    function_call: z.null().optional(),
  }),
  finish_reason: z.string().nullish(),
});

const WireCompletion = z.object({ choices: z.tuple([WireChoice], z.unknown()), usage: z.unknown().optional() });

/**
 * Parses a Chat Completions response; throws if it is invalid, including calls with the same id. A refusal counts as
 * content. Content and arguments above their maximum length are truncated with a note, which leaves the arguments
 * broken. Token counts that are not reported are 0.
 */
export function parseCompletion(completion: unknown): ModelAnswer {
  const parsed = WireCompletion.safeParse(completion);
  if (!parsed.success) throw new UnusableResponseError('unreadable-answer', 'the answer has another form');
  const { choices, usage } = parsed.data;
  const { message, finish_reason: finishReason } = choices[0];
  const toolCalls = (message.tool_calls ?? []).map(fromWireToolCall);
  if (new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length)
    throw new UnusableResponseError('unreadable-answer', 'two calls have the same id');
  return {
    // A stream opens with an empty text, also before a refusal or calls.
    content: truncateContent(message.content || message.refusal || null),
    toolCalls,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parseUsage(usage),
    members: unknownMembersOf(completion),
  };
}

function truncateContent(content: string | null): string | null {
  if (content === null || content.length <= MAX_CONTENT_CHARACTERS) return content;
  const truncated = content.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${truncated}\n\n(cut here: the answer had ${content.length} characters)`;
}

function fromWireToolCall(call: z.infer<typeof WireToolCall>): ToolCall {
  return { id: call.id, name: call.function.name, arguments: truncateArguments(call.function.arguments) };
}

/** Members that this product reads or that mean nothing in a request. */
const KNOWN_IN_MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'name'],
]);

const KNOWN_IN_CALL: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function']);

const KNOWN_IN_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);

/** The members of a completion's first message that the schema does not know, without nulls. */
function unknownMembersOf(completion: unknown): SentMembers {
  const message = firstMessage(completion);
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
  const inCalls = calls.map((call) => [String(call['id']), unknownInCall(call)] as const);
  return {
    message: unknownMembers(message, KNOWN_IN_MESSAGE),
    calls: Object.fromEntries(inCalls.filter(([, found]) => Object.keys(found).length > 0)),
  };
}

function firstMessage(completion: unknown): OpaqueObject {
  const choices = isRecord(completion) ? completion['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(choice) ? choice['message'] : undefined;
  return isRecord(message) ? message : {};
}

function unknownInCall(call: OpaqueObject): OpaqueObject {
  const inFunction = isRecord(call['function']) ? unknownMembers(call['function'], KNOWN_IN_FUNCTION) : {};
  const own = unknownMembers(call, KNOWN_IN_CALL);
  return Object.keys(inFunction).length > 0 ? { ...own, function: inFunction } : own;
}

function unknownMembers(object: OpaqueObject, known: ReadonlySet<string>): OpaqueObject {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && !known.has(name)));
}
