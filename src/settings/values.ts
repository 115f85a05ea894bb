import { z } from 'zod';

/**
 * The kinds of values that a setting may have. Whatever does not fit, of whatever type, is answered with the same words:
 * what is allowed, so that it can be mended from the answer alone.
 */

const LONGEST_TEXT = 500;
const LONGEST_LIST = 100;

/** One of a few words. */
export function choice<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, { error: listOfChoices(words) });
}

/** `true` or `false`; YAML's `yes` and `on` are texts. */
export function flag() {
  return z.boolean({ error: 'true or false' });
}

export function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** An amount of money: not zero, with as many places as somebody likes. */
export function amount(most: number) {
  const error = `a number above 0, at most ${most}`;
  return z.number({ error }).positive({ error }).max(most, { error });
}

/** A text in one line. */
export function line(what: string) {
  const error = `${what}, at most ${LONGEST_TEXT} characters in one line`;
  return z
    .string({ error })
    .min(1, { error })
    .max(LONGEST_TEXT, { error })
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error });
}

/** Paths or globs as the rest of the product reads them: from the repository's root, with slashes. */
export function paths(what: 'path' | 'glob') {
  const error = `a ${what} from the root of the repository, without a leading slash, .. or backslash`;
  const path = line(error).regex(/^(?!\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))[^\\]*$/, { error });
  return list(path, `a list of ${what}s`);
}

/** A list of a bounded length. */
export function list<Item extends z.ZodType>(item: Item, what: string) {
  const error = `${what}, at most ${LONGEST_LIST}`;
  return z.array(item, { error }).max(LONGEST_LIST, { error });
}

/** A group of settings below one key. */
export function group<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: `a group of ${listOfNames(Object.keys(shape))}` });
}

const HOURS_IN = { h: 1, d: 24 } as const;

/** `12h`, `7d`: between one hour and thirty days. */
export function duration() {
  const error = 'a time from 1h to 30d, in hours (h) or days (d)';
  return z
    .string({ error })
    .regex(/^[1-9]\d{0,2}[hd]$/, { error })
    .refine((text) => hoursOf(text) <= 30 * HOURS_IN.d, { error });
}

/** The hours of a text that is a `duration`. */
export function hoursOf(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('d') ? HOURS_IN.d : HOURS_IN.h);
}

/** A text with places to be filled. */
export function template(...places: readonly string[]) {
  const error = `a text with no other places than ${listOfNames(places.map((place) => `{${place}}`))}, at most 2000 characters`;
  const known = new Set(places);
  return z
    .string({ error })
    .min(1, { error })
    .max(2_000, { error })
    .refine((text) => [...text.matchAll(/\{([^{}]*)\}/g)].every(([, name]) => known.has(name ?? '')), { error });
}

function listOfNames(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

function listOfChoices(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
