/** What a file holds, or what is wrong with it, as words that follow its name. */
export type Reading<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problem: string };

export function refused(problem: string): { readonly kind: 'refused'; readonly problem: string } {
  return { kind: 'refused', problem };
}
