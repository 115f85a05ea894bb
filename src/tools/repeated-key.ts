/** A JSON string, or one of the marks that open and close, or the colon behind a key. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * A key that stands twice in the outermost object of a valid JSON text, or null. `JSON.parse` keeps the last one
 * silently, so what a person reads in the text could differ from what is done.
 */
export function repeatedKey(json: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  let last = '';
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ':' && depth === 1) {
      const key = String(JSON.parse(last));
      if (seen.has(key)) return key;
      seen.add(key);
    } else last = token;
  }
  return null;
}
