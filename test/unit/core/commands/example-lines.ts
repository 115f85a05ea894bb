import type { CommandSyntax } from '../../../../src/core/comments/command-line.ts';
import type { CommandName } from '../../../../src/core/state/intent.ts';

/** Typical arguments of the commands that take some; `id` is a proposal's. */
const EXAMPLE_ARGUMENTS: Partial<Record<CommandName, (id: string) => string>> = {
  task: () => ' use bigint',
  approve: (id) => ` ${id}`,
  deny: (id) => ` ${id} too long`,
  edit: (id) => ` ${id} shorter`,
  answer: () => ' use bigint',
  ask: () => ' why bigint?',
  show: (id) => ` ${id}`,
  undo: (id) => ` ${id}`,
  revoke: () => ' 2',
};

/** A valid line for a command, with one of its words; `id` is a proposal's. */
export function exampleLine(command: CommandSyntax, id: string, word: string = command.words[0]): string {
  return `/${word}${EXAMPLE_ARGUMENTS[command.name]?.(id) ?? ''}`;
}
