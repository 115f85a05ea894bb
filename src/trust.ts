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
