import type { ArgumentForm, CommandRow } from '../../src/command/table.ts';

/** Words that fit each form, as a person would write them about the proposal `id`. */
const FITTING: { readonly [Form in ArgumentForm]: (id: string) => string } = {
  task: () => ' use bigint',
  'ids-only': (id) => ` ${id}`,
  'ids-and-reason': (id) => ` ${id} too long`,
  'ids-and-instruction': (id) => ` ${id} shorter`,
  'one-id': (id) => ` ${id}`,
  question: () => ' why bigint?',
  nothing: () => '',
};

/** A line that fits the command's form, behind one of its words; `id` is a proposal's. */
export function fittingLine(row: CommandRow, id: string, word: string = row.words[0]): string {
  return `/${word}${FITTING[row.argument](id)}`;
}
