import type { ProbotOctokit } from 'probot';
import type { Countersigned } from './policy/countersigned.ts';

/**
 * The only file that asserts types. Each function names why the assertion holds;
 * everything else in the code base is checked by the compiler.
 */

/** `JSON.parse` types its result `any`; this gives it the type that forces a check before use. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** Whether a value is a plain JSON object, so that its keys can be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Brands a value as checked. Only `policy/countersign.ts` may call this, after its checks; the architecture test holds it to that. */
export function countersigned<T>(value: T): Countersigned<T> {
  return value as Countersigned<T>;
}

/** A row of ours comes back as it was written: the only writer of the column has the same type, and its form carries a number. */
export function storedAs<T>(value: unknown): T {
  return value as T;
}

/** Our own thread answers with what it was asked for: both sides are made from one table of inputs and outputs. */
export function answeredAs<T>(value: unknown): T {
  return value as T;
}

/** What our own thread is asked for comes in pieces: these lists were taken out of this very input, under these names. */
export function wholeInput<Input>(rest: Input, lists: Readonly<Record<string, readonly unknown[]>>): Input {
  return { ...rest, ...lists } as Input;
}

/**
 * Probot's type asks for an Octokit with its own retry and throttling plugins, which it never calls itself:
 * it builds instances and asks their `auth`, which the one of `src/github/octokit.ts` has; a test starts Probot with it.
 */
export function asProbotOctokit(octokit: unknown): typeof ProbotOctokit {
  return octokit as typeof ProbotOctokit;
}
