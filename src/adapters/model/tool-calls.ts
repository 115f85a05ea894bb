import { randomUUID } from 'node:crypto';
import { MAX_ARGUMENT_CHARACTERS } from '../../core/state/conversation.ts';
import { readToolName } from '../../core/state/tools.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';

/** The templates of Mistral's models take ids of exactly nine letters and digits. */
const ID_CHARACTERS = 9;

/** An id for a call that came without one. */
export function createCallId(): string {
  return randomUUID().replaceAll('-', '').slice(0, ID_CHARACTERS);
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
export function truncateArguments(text: string): string {
  if (text.length <= MAX_ARGUMENT_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed();
  return `${beginning} (cut here: the arguments had ${text.length} characters, at most ${MAX_ARGUMENT_CHARACTERS} are read)`;
}
