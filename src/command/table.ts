import type { CommandName } from './intent.ts';

/** Who may give a command: people with write access, or also the pull request's author without it. */
export type WhoMay = 'writer' | 'writer-or-author';

/** What may stand behind a command's word on its line, and what it does with the lines below. */
export type ArgumentForm =
  | 'task'
  | 'ids-only'
  | 'ids-and-reason'
  | 'ids-and-instruction'
  | 'one-id'
  | 'question'
  | 'nothing';

/** One command as people meet it. The parser, `/help` and the documentation read the same rows. */
export type CommandRow = {
  readonly name: CommandName;
  /** What is written behind the slash; the first is the one we show. */
  readonly words: readonly [string, ...string[]];
  /** How it is written, for people. */
  readonly form: string;
  /** What it does, in one sentence without a final stop. */
  readonly meaning: string;
  readonly who: WhoMay;
  readonly argument: ArgumentForm;
};

/** Every command of this version, in the order in which people should read about them. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'task',
    words: ['countersign'],
    form: '/countersign <task>',
    meaning: 'start a run on this pull request, or queue one behind the run that is active',
    who: 'writer',
    argument: 'task',
  },
  {
    name: 'approve',
    words: ['approve'],
    form: '/approve [<id>…|all]',
    meaning: 'make the change; in its thread the id may be left out, lines below are a note for the agent',
    who: 'writer',
    argument: 'ids-only',
  },
  {
    name: 'deny',
    words: ['deny', 'reject', 'dismiss'],
    form: '/deny [<id>…|all] [reason]',
    meaning: 'not this change; the reason goes to the agent',
    who: 'writer-or-author',
    argument: 'ids-and-reason',
  },
  {
    name: 'edit',
    words: ['edit'],
    form: '/edit [<id>…|all] <instruction>',
    meaning: 'do it differently; without an id outside a thread, every change that waits',
    who: 'writer',
    argument: 'ids-and-instruction',
  },
  {
    name: 'ask',
    words: ['ask'],
    form: '/ask <question>',
    meaning: 'ask the agent something; it answers without tools, and nothing is decided',
    who: 'writer',
    argument: 'question',
  },
  {
    name: 'show',
    words: ['show'],
    form: '/show [<id>]',
    meaning: 'show the full diff of a change; in its thread the id may be left out',
    who: 'writer-or-author',
    argument: 'one-id',
  },
  {
    name: 'undo',
    words: ['undo'],
    form: '/undo [<id>]',
    meaning: 'propose the exact reverse of an applied change; in its thread the id may be left out',
    who: 'writer',
    argument: 'one-id',
  },
  {
    name: 'continue',
    words: ['continue'],
    form: '/continue',
    meaning: 'send the decisions so far to the agent and withdraw what is undecided',
    who: 'writer',
    argument: 'nothing',
  },
  {
    name: 'stop',
    words: ['stop'],
    form: '/stop',
    meaning: 'end the run; what waits is cancelled and queued tasks are dropped',
    who: 'writer-or-author',
    argument: 'nothing',
  },
  {
    name: 'resume',
    words: ['resume'],
    form: '/resume',
    meaning:
      'go on with a run that ended because the agent failed, reached its limits or waited too long for a decision',
    who: 'writer',
    argument: 'nothing',
  },
  {
    name: 'status',
    words: ['status'],
    form: '/status',
    meaning: 'say what the run does and link every change that waits',
    who: 'writer-or-author',
    argument: 'nothing',
  },
  {
    name: 'help',
    words: ['help'],
    form: '/help',
    meaning: 'list the commands',
    who: 'writer-or-author',
    argument: 'nothing',
  },
];

/** Words that a later version reads. They are kept, so that until then nobody's `/config` becomes an instruction. */
const plannedWords: readonly string[] = ['answer', 'choose', 'approvals', 'revoke', 'config'];

const ROWS: ReadonlyMap<string, CommandRow> = new Map(
  commandTable.flatMap((row) => row.words.map((word) => [word, row] as const)),
);

/** The command that a word behind a slash names, whatever its case; null for every other word. */
export function commandRow(word: string): CommandRow | null {
  return ROWS.get(word.toLowerCase()) ?? null;
}

/** Whether a word names a command that this version does not have yet. */
export function isPlanned(word: string): boolean {
  return plannedWords.includes(word.toLowerCase());
}
