import type { ProbotOctokit } from 'probot';
import type { RequestInit as UndiciOptions } from 'undici';

/**
 * The only file with type assertions. Each function states why its assertion holds;
 * the compiler checks all other code.
 */

declare const countersignedBrand: unique symbol;

/** A value that only `core/policy/countersign.ts` creates, after it has checked votes, staleness and digest. */
export type Countersigned<T> = T & { readonly [countersignedBrand]: true };

/** Brands a value as checked. The architecture test allows this call in `core/policy/countersign.ts` alone. */
export function markCountersigned<T>(value: T): Countersigned<T> {
  return value as Countersigned<T>;
}

declare const replyBrand: unique symbol;

/** The body of a reply. Only `core/messages` writes it, where all text of others becomes inert. */
export type Reply = string & { readonly [replyBrand]: true };

/** Brands Markdown as a reply. The architecture test allows this call in `core/messages/shared/markdown.ts` alone. */
export function markReply(body: string): Reply {
  return body as Reply;
}

/** `JSON.parse` with the result type `unknown` instead of `any`, so that callers must check it. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}

/** Whether a value is a JSON object and no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A stored value has the type with which it was written: one writer a column, and a schema version in each row. */
export function storedAs<T>(value: unknown): T {
  return value as T;
}

/**
 * Probot's type demands its own retry and throttling plugins, but Probot only creates instances and calls `auth`,
 * which our client has. A test starts Probot with it.
 */
export function asProbotOctokit(octokit: unknown): typeof ProbotOctokit {
  return octokit as typeof ProbotOctokit;
}

/** The options of Node's `fetch`, which is undici's. Their types are two versions of one declaration. */
export function asUndiciOptions(options: unknown): UndiciOptions {
  return options as UndiciOptions;
}
