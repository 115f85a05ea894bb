import { APIError } from 'openai';
import { z } from 'zod';
import type { OpaqueObject } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type { ModelAnswer, SentMembers } from './model-wire.ts';
import { MAX_ACCEPTED_TOOL_CALLS, readCalls, truncateContent, type WrittenCall } from './tool-calls.ts';
import { parseUsage } from './usage.ts';

const WireChoice = z.object({
  message: z.object({
    content: z.union([z.string(), z.array(z.unknown())]).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(z.record(z.string(), z.unknown())).max(MAX_ACCEPTED_TOOL_CALLS).nullish(),
    function_call: z.null().optional(),
  }),
});

const WireCompletion = z.object({ choices: z.tuple([WireChoice], z.unknown()), usage: z.unknown().optional() });

/**
 * Parses a Chat Completions response; throws if it is invalid, or says that it failed. A refusal counts as content.
 * Content and arguments above their maximum length are truncated with a note, which leaves the arguments broken. Token
 * counts that are not reported are 0.
 */
export function parseCompletion(completion: unknown): ModelAnswer {
  const finishReason = readFinishReason(firstChoice(completion)['finish_reason']);
  const parsed = WireCompletion.safeParse(completion);
  if (!parsed.success) throw new UnusableResponseError('unreadable-answer', 'the answer has another form');
  const { choices, usage } = parsed.data;
  const { content, refusal, tool_calls: calls } = choices[0].message;
  const toolCalls = readCalls((calls ?? []).map(toWrittenCall));
  return {
    // A stream opens with an empty text, also before a refusal or calls.
    content: truncateContent(textOf(content) || refusal || null),
    toolCalls,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parseUsage(usage),
    members: unknownMembersOf(
      completion,
      toolCalls.map(({ id }) => id),
    ),
  };
}

/** A call of a function or, from a model that ignores what it was offered, of a custom tool. */
function toWrittenCall({ id, function: target, custom }: OpaqueObject): WrittenCall {
  if (isRecord(target)) return { ...target, id };
  return isRecord(custom) ? { id, name: custom['name'], arguments: custom['input'] } : { id };
}

type Content = string | readonly unknown[] | null | undefined;

function textOf(content: Content): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => partText(part) ?? '').join('');
}

/** The text of a part of a content; null for thoughts and other parts, which only the model understands. */
function partText(part: unknown): string | null {
  const { type, text, refusal } = isRecord(part) ? part : { type: 'text', text: part, refusal: null };
  const said = type === 'refusal' ? refusal : TEXT_TYPES.has(type) ? text : null;
  return typeof said === 'string' ? said : null;
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', undefined]);

/** Members that this product reads or that mean nothing in a request. */
const KNOWN_IN_MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'name'],
]);

const KNOWN_IN_CALL: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom']);

const KNOWN_IN_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);

/**
 * The members of a completion's first message that the schema does not know, without nulls, those of its calls by
 * `ids`. A content is among them if it has more than text.
 */
function unknownMembersOf(completion: unknown, ids: readonly string[]): SentMembers {
  const found = firstChoice(completion)['message'];
  const message = isRecord(found) ? found : {};
  const { content, tool_calls: calls } = message;
  const parts = Array.isArray(content) && content.some((part: unknown) => partText(part) === null) ? { content } : {};
  const inCalls = (Array.isArray(calls) ? calls.filter(isRecord) : []).map(unknownInCall);
  const byId = inCalls.map((members, index) => [ids[index] ?? '', members] as const);
  return {
    message: { ...unknownMembers(message, KNOWN_IN_MESSAGE), ...parts },
    calls: Object.fromEntries(byId.filter(([, members]) => Object.keys(members).length > 0)),
  };
}

function firstChoice(completion: unknown): OpaqueObject {
  const choices = isRecord(completion) ? completion['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isRecord(choice) ? choice : {};
}

function unknownInCall(call: OpaqueObject): OpaqueObject {
  const inFunction = isRecord(call['function']) ? unknownMembers(call['function'], KNOWN_IN_FUNCTION) : {};
  const own = unknownMembers(call, KNOWN_IN_CALL);
  return Object.keys(inFunction).length > 0 ? { ...own, function: inFunction } : own;
}

function unknownMembers(object: OpaqueObject, known: ReadonlySet<string>): OpaqueObject {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && !known.has(name)));
}

/** Why an answer ended that failed, in the words of several endpoints, with the error that others answer with. */
const FAILURES: readonly (readonly [RegExp, { readonly status: number; readonly code?: string }])[] = [
  [/context_window|context_length|model_length/, { status: 400, code: 'context_length_exceeded' }],
  [/sensitive|safety|prohibited|blocklist|recitation|policy/, { status: 400, code: 'content_filter' }],
  [/error|fail|network|insufficient|overload|unavailable|timeout|abort|cancel|malformed/, { status: 500 }],
];

/** The words of some endpoints for a limit of length. */
const LENGTH = /^max_(?:output_|completion_|new_)?tokens$/;

/**
 * The finish reason of an answer in OpenAI's words, as far as they have one for it; null if there is none. Throws the
 * error that a reason stands for if it means failure; then the text before it is not used.
 */
function readFinishReason(written: unknown): string | null {
  if (typeof written !== 'string' || written === '') return null;
  const reason = written.toLowerCase();
  if (LENGTH.test(reason)) return 'length';
  const found = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  if (found === undefined) return reason;
  const message = `the answer ended with "${reason}"`;
  throw new APIError(found.status, { message, code: found.code ?? null }, undefined, new Headers());
}
