import type { AlwaysRequest, Command, CommandName, Targets } from '../state/intent.ts';

/** The text that may follow a command on its line, and the use of the lines below. */
export type ArgumentForm =
  | 'task'
  | 'ids-or-always'
  | 'ids-and-reason'
  | 'ids-and-instruction'
  | 'one-id'
  | 'question'
  | 'id-and-text'
  | 'number'
  | 'note'
  | 'nothing';

/** Arguments that fit a form. `text` is the task, note, reason or instruction; `fullText` also has the leading ids. */
export type CommandArguments = {
  readonly targets: Targets;
  readonly text: string;
  readonly fullText: string;
  /** The lines below the command's line. */
  readonly below: string;
  /** Null without the word `always`. */
  readonly always: AlwaysRequest | null;
};

export type CommandNamed<Name extends CommandName> = Extract<Command, { name: Name }>;

/** How one command is written. */
export type CommandSyntax<Name extends CommandName = CommandName> = {
  readonly name: Name;
  /** The words for it, without the slash; the first is the one that people are shown. */
  readonly words: readonly [string, ...string[]];
  /** Its form, for people. */
  readonly syntax: string;
  readonly argument: ArgumentForm;
  /** After the App's name it is read without its slash too, because it decides nothing. */
  readonly needsNoSlash?: true;
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

/** Why a line is no command, in one or two sentences that say what to write instead. Never quotes the comment. */
const HINT_TEXT = {
  'ids-only':
    'Only ids of changes, or `all`, may stand on its line; nothing was approved. Write a note for the agent below the line.',
  'always-one-id':
    '`always` follows at most one id of a change; nothing was approved. In that change’s thread the id may be left out.',
  'always-one-glob':
    'After `always` may stand one glob, which has `/`, `.` or `*`, as in `/approve always src/**`; nothing was approved.',
  'no-instruction': 'It needs an instruction for the agent.',
  'one-id': 'Exactly one id of a change may stand on its line; in that change’s thread it may be left out.',
  'no-question': 'It needs a question.',
  'no-answer': 'It needs an answer.',
  'one-standing-approval': 'It needs the number of a standing approval. `/approvals` lists them.',
  'no-arguments': 'It takes no arguments.',
  'note-below': 'It takes no arguments. Write words for the agent below its line.',
  'no-task': 'It needs a task on the same line, as in `/countersign rename the parameter`.',
  'missing-slash':
    'A command begins with a slash: write `/approve`, `/deny` and so on. Nothing was started; for a task that begins with this word, say more.',
  'command-after-mention': 'Write the command alone, without the mention before it.',
  'html-comment': 'A line with a hidden HTML comment is not read as a command. Write it again without the comment.',
  'prefix-required':
    'In this repository a command must follow `/countersign`, as in `/countersign /approve`; otherwise it has no effect.',
  lookalike:
    'The line begins with a character that is invisible or looks like another one. Type the command again by hand.',
  'lazy-continuation':
    'In Markdown the line belongs to the quote above it, so it was not read as a command. Leave a blank line after the quote.',
  misplaced:
    'A command counts only as plain text on the first line of a comment. Write it alone; or, where these words are for the agent, begin them with `/edit`.',
  'below-words':
    'A command counts only on the first line of a comment, so it had no effect, and the words above it did not reach the agent. Write each in its own comment; a command in a code block is part of the words.',
  'suggestion-below':
    'A suggestion block stands below it, so either your lines or the proposed ones could be meant; nothing was approved. For your lines, reply in the change’s thread with the block alone, or quote its comment in the conversation and add the block; for the proposed ones, write the command without a block.',
  'command-below':
    'Another command is below it, and a comment can have only one; nothing was approved. Write each command in its own comment.',
  'too-long':
    'The comment is too long to be read completely, so nothing was approved. Approve in a separate comment, or name the ids.',
} as const;

export type HintName = keyof typeof HINT_TEXT;

/** Hints that are clearer with the command's syntax after them. */
const HINTS_WITH_SYNTAX: ReadonlySet<HintName> = new Set<HintName>([
  'ids-only',
  'no-instruction',
  'one-id',
  'no-question',
  'no-answer',
  'always-one-id',
  'one-standing-approval',
  'no-arguments',
]);

/** The sentences for a person; `syntax` is that of the command that they tried, if it is known. */
export function hintText(hint: HintName, syntax: string | null = null): string {
  return syntax !== null && HINTS_WITH_SYNTAX.has(hint)
    ? `${HINT_TEXT[hint]} Its form: \`${syntax}\`.`
    : HINT_TEXT[hint];
}
