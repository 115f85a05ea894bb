import type { Command, CommandName, Targets } from '../state/intent.ts';
import { parseProposalId, parsePunctuatedId } from './ids.ts';

export type CommandNamed<Name extends CommandName> = Extract<Command, { name: Name }>;

/** What stands behind a command's word. */
export type CommandText = {
  /** The rest of its line, trimmed. */
  readonly rest: string;
  /** All lines below, up to the quote at the end. */
  readonly below: string;
  /** The lines right below, up to the first blank or quoted one: what follows is for other readers. */
  readonly note: string;
};

/** How one command is written. */
export type CommandSyntax<Name extends CommandName = CommandName> = {
  readonly name: Name;
  /** The words for it, without the slash; the first is the one that people are shown. */
  readonly words: readonly [string, ...string[]];
  /** Its form, for people. */
  readonly syntax: string;
  /** Null if the text does not fit the form. */
  readonly read: (text: CommandText) => CommandNamed<Name> | null;
};

/** The commands that the parser recognizes. */
export type CommandGrammar = readonly CommandSyntax[];

/** The command that a word after the slash names, in any case; null for every other word. */
export function findCommand(grammar: CommandGrammar, word: string): CommandSyntax | null {
  const name = word.toLowerCase();
  return grammar.find(({ words }) => words.includes(name)) ?? null;
}

/** Reads a command that takes nothing on its line. */
export function readAlone<AnyCommand extends Command>(command: AnyCommand): (text: CommandText) => AnyCommand | null {
  return ({ rest }) => (rest === '' ? command : null);
}

/** Reads a command that is a text, which may begin on the line below. */
export function readText<Name extends 'task' | 'ask'>(name: Name, rest: string, below: string) {
  const text = joinText(rest, below);
  return text === '' ? null : { name, text };
}

/** The words of a line, without the backticks of code spans. Spaces and commas separate them. */
export function splitWords(line: string): readonly string[] {
  const words = line.split(/[\s,]+/).map((word) => /^`([^`]*)`$/.exec(word)?.[1] ?? word);
  return words.filter((word) => word !== '');
}

/** Words that are ids, or `all` alone, and nothing else; null if another word is among them. */
export function readIds(words: readonly string[]): Targets | null {
  if (words.length === 0) return { by: 'location' };
  if (words.length === 1 && isAll(words[0] ?? '')) return { by: 'all' };
  const ids = words.flatMap((word) => parseProposalId(word) ?? []);
  return ids.length === words.length ? { by: 'ids', ids: [...new Set(ids)] } : null;
}

/** One id or none; null for anything else. */
export function readOneId(words: readonly string[]): Targets | null {
  const targets = readIds(words);
  return words.length > 1 || targets?.by === 'all' ? null : targets;
}

/** Longer ones could not be shown to their end. */
const MAX_GLOB_CHARACTERS = 200;

/** The changes on the paths of a glob, which a slash, star or dot tells from another word; null for that and an id. */
export function readGlob(word: string): Targets | null {
  return /[/.*]/.test(word) && parsePunctuatedId(word) === null && word.length <= MAX_GLOB_CHARACTERS
    ? { by: 'paths', glob: word }
    : null;
}

/** A glob as the first word, also with the punctuation of a sentence behind it; null if there is none. */
export function readLeadingGlob(rest: string, below: string): TargetsAndText | null {
  const [word = ''] = /^[^\s,;]*/.exec(rest) ?? [];
  const targets = readGlob(word.replace(/[.:!?]{1,3}$/, '').replace(/^`([^`]*)`$/, '$1'));
  const text = rest.slice(word.length).replace(/^[,;]/, '');
  return targets === null ? null : { targets, text: joinText(text, below), fullText: joinText(rest, below) };
}

/** What a command is about, and its words; `fullText` has the ids too, for a text that begins with a word like one. */
type TargetsAndText = { readonly targets: Targets; readonly text: string; readonly fullText: string };

/**
 * Leading ids, or `all`, also with punctuation around them; the rest is text. If `k7q2:` counted as text, the command
 * would apply to every other change.
 */
export function readTargetsAndText(rest: string, below: string, maxIds = Number.POSITIVE_INFINITY): TargetsAndText {
  const fullText = joinText(rest, below);
  const [word = ''] = /^\S*/.exec(rest) ?? [];
  if (isAll(word.replace(/[.,:;!]{1,3}$/, '')))
    return { targets: { by: 'all' }, text: joinText(rest.slice(word.length), below), fullText };
  const { ids, end } = splitLeadingIds(rest, maxIds);
  const targets: Targets = ids.length === 0 ? { by: 'location' } : { by: 'ids', ids };
  return { targets, text: joinText(rest.slice(end), below), fullText };
}

function splitLeadingIds(rest: string, max: number): { readonly ids: readonly string[]; readonly end: number } {
  const ids = new Set<string>();
  let end = 0;
  for (const { 0: word, index } of rest.matchAll(/[^\s,;]+[,;]?/g)) {
    const id = parsePunctuatedId(word);
    if (id === null || ids.size === max) break;
    ids.add(id);
    end = index + word.length;
  }
  return { ids: [...ids], end };
}

/** The id right behind the first word of a text, as in `approve k7q2`; null if no id is there. */
export function idAfterWord(text: string): string | null {
  const [, second = ''] = text.split(/\s+/, 2);
  return parsePunctuatedId(second);
}

function isAll(word: string): boolean {
  return word.toLowerCase() === 'all';
}

/** The rest of the line and the lines below, as one trimmed text. */
function joinText(rest: string, below: string): string {
  return `${rest}\n${below}`.trim();
}
