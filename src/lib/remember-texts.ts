/** Charged for each text besides its characters. */
const ENTRY_CHARACTERS = 64;

/**
 * A pure function of a text that computes each of the latest texts once. The result is shared and must not be changed.
 * A text that is longer than all that is kept is computed anew each time.
 */
export function rememberTexts<Value extends object>(
  compute: (text: string) => Value,
  { maxCharacters = 200_000 }: { readonly maxCharacters?: number } = {},
): (text: string) => Value {
  const known = new Map<string, Value>();
  let characters = 0;
  const forgetOldest = (): void => {
    const [oldest] = known.keys();
    if (oldest === undefined) return;
    known.delete(oldest);
    characters -= oldest.length + ENTRY_CHARACTERS;
  };
  return (text) => {
    const found = known.get(text);
    const value = found ?? compute(text);
    const size = text.length + ENTRY_CHARACTERS;
    if (size > maxCharacters) return value;
    // A text that is deleted and added again is the latest.
    if (found === undefined) characters += size;
    else known.delete(text);
    known.set(text, value);
    while (characters > maxCharacters) forgetOldest();
    return value;
  };
}
