import { findKeys } from '../../core/agent/tools/json-keys.ts';
import { parseJson } from '../../lib/trust.ts';

/** Quotes of strings, brackets, colons and commas. A list of a thousand models has fewer. */
export const MAX_ANSWER_TOKENS = 500_000;

/**
 * Parses JSON of the endpoint. Throws for one of too many values: the largest answer of brackets alone would hold up
 * the whole process for seconds.
 */
export function parseAnswer(text: string): unknown {
  if (text.length > MAX_ANSWER_TOKENS && findKeys(text, MAX_ANSWER_TOKENS) === null)
    throw new SyntaxError('The JSON has too many values');
  return parseJson(text);
}
