/** A JSON object with unchecked values. */
export type JsonObject = Readonly<Record<string, unknown>>;
