import type { ArgumentForm, CommandSyntax } from '../../../../src/core/comments/command-grammar.ts';

/** Typical arguments in each form; `id` is a proposal's. */
const EXAMPLE_ARGUMENTS: { readonly [Form in ArgumentForm]: (id: string) => string } = {
  task: () => ' use bigint',
  'ids-or-always': (id) => ` ${id}`,
  'ids-and-reason': (id) => ` ${id} too long`,
  'ids-and-instruction': (id) => ` ${id} shorter`,
  'one-id': (id) => ` ${id}`,
  question: () => ' why bigint?',
  'id-and-text': () => ' use bigint',
  number: () => ' 2',
  note: () => '\nwith the other file',
  nothing: () => '',
};

/** A valid line for a command, with one of its words; `id` is a proposal's. */
export function exampleLine(command: CommandSyntax, id: string, word: string = command.words[0]): string {
  return `/${word}${EXAMPLE_ARGUMENTS[command.argument](id)}`;
}
