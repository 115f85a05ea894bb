import type { TranscriptMessage } from '../../core/state/conversation.ts';
import { redact } from '../../lib/redaction.ts';

/** The secret and the texts of a request, which the words of an endpoint can quote. */
export type SentRequest = { readonly apiKey: string | null; readonly messages: readonly TranscriptMessage[] };

const MAX_READ_CHARACTERS = 1_000;

const MAX_CHARACTERS = 500;

/** An endpoint's words for the log: one line of at most 500 characters, without the key and without the request. */
export function endpointWords(text: string, { apiKey, messages }: SentRequest): string {
  const withoutKey = redact(apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '[key]'))
    .replace(/\bsk-[\w*.-]+/g, '[key]')
    // Some endpoints quote the key with its middle masked. A start within a word would take quadratic time.
    .replace(/(?<![\w-])[\w-]*\*{3,}[\w*-]*/g, '[key]');
  const line = withoutQuotes(withoutKey.slice(0, MAX_READ_CHARACTERS), sentText(messages))
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS - 1)}…` : line;
}

function sentText(messages: readonly TranscriptMessage[]): string {
  return messages
    .flatMap((message) => [
      message.content ?? '',
      ...(message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : []),
      ...(message.role === 'assistant' && message.opaque !== undefined
        ? opaqueTexts([message.opaque.message, message.opaque.calls])
        : []),
    ])
    .join('\n');
}

/** The texts of the members as they are, because an endpoint can quote them without their JSON escapes. */
function opaqueTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(opaqueTexts) : [];
}

const WINDOW = 16;

const STEP = 8;

/** Masks every passage of 24 characters or more that the request has too. A longer request costs a linear search. */
function withoutQuotes(text: string, sent: string): string {
  const kept = [...Array(text.length).keys()].map(() => true);
  for (let start = 0; start + WINDOW <= text.length; start += STEP) {
    if (sent.includes(text.slice(start, start + WINDOW)))
      kept.fill(false, Math.max(0, start - STEP), start + WINDOW + STEP);
  }
  return kept.map((isKept, at) => (isKept ? text.charAt(at) : kept[at - 1] === false ? '' : '[…]')).join('');
}
