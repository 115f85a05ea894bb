import { randomUUID } from 'node:crypto';
import { MAX_ARGUMENT_CHARACTERS, type ToolCall } from '../../core/state/conversation.ts';
import { readToolName } from '../../core/state/tools.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** A call as its endpoint wrote it. */
export type WrittenCall = { readonly id?: unknown; readonly name?: unknown; readonly arguments?: unknown };

/** Maximum number of tool calls in a response. Each later request of the run contains them. */
export const MAX_ACCEPTED_TOOL_CALLS = 1_000;

/** Maximum length of a call's name as the model wrote it. */
const MAX_WRITTEN_NAME_CHARACTERS = 1_000;

/**
 * The calls of a response, one for each that is written. What is wrong with one of them stays its own slip, which the
 * model is told about: only its id is mended, because results are matched with calls by it.
 */
export function readCalls(written: readonly WrittenCall[]): readonly ToolCall[] {
  const ids = new Set<unknown>();
  return written.map(({ id, name, arguments: given }) => {
    const call = {
      id: isUsableId(id) && !ids.has(id) ? id : randomUUID().replaceAll('-', '').slice(0, ID_CHARACTERS),
      name: typeof name === 'string' ? name.slice(0, MAX_WRITTEN_NAME_CHARACTERS).toWellFormed() : '',
      arguments: truncateArguments(toArguments(given)),
    };
    ids.add(call.id);
    return call;
  });
}

/** Maximum length of a call's id. Some gateways put the signature of a thought into it, which has thousands. */
const MAX_ID_CHARACTERS = 32_768;

/** vLLM, llama.cpp and others leave the id out in some modes, and want to get one back. */
function isUsableId(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
}

/** The templates of Mistral's models take ids of exactly nine letters and digits. */
const ID_CHARACTERS = 9;

/** Endpoints write no arguments in several ways, and some send them as an object. */
function toArguments(given: unknown): string {
  if (given === null || given === undefined) return '{}';
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return text.trim() === '' ? '{}' : text;
}

/** The limit of the Chat Completions API. */
const MAX_NAME_CHARACTERS = 64;

/** Strict endpoints refuse a history with other names, such as `functions.read_file`. */
export function toWireName(name: string): string {
  return readToolName(name) ?? (name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS) || 'unnamed');
}

const MAX_MALFORMED_CHARACTERS = 200;

/** Whether arguments are no JSON object. Several endpoints refuse a history that contains such a call. */
export function areArgumentsBroken(text: string): boolean {
  try {
    return !isRecord(parseJson(text));
  } catch {
    return true;
  }
}

/** The arguments as valid JSON; the model recognizes the beginning of broken ones. */
export function toWireArguments(text: string): string {
  if (!areArgumentsBroken(text)) return text;
  if (text.trim() === '') return '{}';
  return JSON.stringify({ _malformed: text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed() });
}

/** The transcript needs no more of arguments that nobody reads than their beginning. */
function truncateArguments(text: string): string {
  if (text.length <= MAX_ARGUMENT_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed();
  return `${beginning} (cut here: the arguments had ${text.length} characters, at most ${MAX_ARGUMENT_CHARACTERS} are read)`;
}

/** Maximum length of a response in UTF-16 units. Each later request of the run contains the response. */
const MAX_CONTENT_CHARACTERS = 200_000;

/** The text of a response; one above its maximum length is cut, with a note. */
export function truncateContent(content: string | null): string | null {
  if (content === null || content.length <= MAX_CONTENT_CHARACTERS) return content;
  const truncated = content.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${truncated}\n\n(cut here: the answer had ${content.length} characters)`;
}
