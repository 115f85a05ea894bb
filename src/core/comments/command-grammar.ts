import type { Command, CommandName, Targets } from '../state/intent.ts';

/** What may follow a command on its line, and how the lines below are used. */
export type ArgumentForm =
  | 'task'
  | 'ids-only'
  | 'ids-and-reason'
  | 'ids-and-instruction'
  | 'one-id'
  | 'question'
  | 'nothing';

/** Arguments that fit a form. `text` is the task, note, reason or instruction; `fullText` also has the leading ids. */
export type CommandArguments = { readonly targets: Targets; readonly text: string; readonly fullText: string };

export type CommandNamed<Name extends CommandName> = Extract<Command, { name: Name }>;

/** How one command is written. */
export type CommandSyntax<Name extends CommandName = CommandName> = {
  readonly name: Name;
  /** The words for it, without the slash; the first is the one that people are shown. */
  readonly words: readonly [string, ...string[]];
  /** Its form, for people. */
  readonly syntax: string;
  readonly argument: ArgumentForm;
  readonly read: (args: CommandArguments) => CommandNamed<Name>;
};

/** The commands that the parser recognizes. */
export type CommandGrammar = {
  readonly commands: readonly CommandSyntax[];
  readonly byWord: ReadonlyMap<string, CommandSyntax>;
};

export function createCommandGrammar(commands: readonly CommandSyntax[]): CommandGrammar {
  const byWord = new Map(commands.flatMap((command) => command.words.map((word) => [word, command] as const)));
  return { commands, byWord };
}

/** The command that a word after the slash names, in any case; null for every other word. */
export function findCommand(grammar: CommandGrammar, word: string): CommandSyntax | null {
  return grammar.byWord.get(word.toLowerCase()) ?? null;
}

/** Reserved for later versions, so that `/config` is never taken for an instruction. */
const RESERVED_WORDS: readonly string[] = ['answer', 'choose', 'approvals', 'revoke', 'config'];

export function isReservedWord(word: string): boolean {
  return RESERVED_WORDS.includes(word.toLowerCase());
}
