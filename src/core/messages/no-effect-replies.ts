import { formatList } from '../../lib/format.ts';
import type { CommandName } from '../state/intent.ts';
import type { ProposalState } from '../state/proposal.ts';
import type { ResumeRefusal } from '../step/refusals.ts';
import type { Reply } from '../step/replies.ts';
import type { ProposalOutcome } from '../step/reply-links.ts';
import { describeOutcome, formatProposalList } from './proposal/proposal-status.ts';
import { NOT_FOUND_TEXT, renderUndoRefused, renderUserEditRefused } from './reply-details.ts';
import { codeSpan, joinBlocks, truncate } from './shared/markdown.ts';

export const NEW_RUN_HINT = `Use ${codeSpan('/countersign <task>')} to start a run.`;

const HELP_HINT = `${codeSpan('/help')} lists all commands.`;

const STATUS_HINT = `${codeSpan('/status')} lists pending changes.`;

const QUOTE_HINT = 'A quote never approves: name the change by its id.';

const NOT_RESUMABLE_TEXT = {
  'no-resumable-run': `There is no run to resume: ${codeSpan('/resume')} continues one that expired, reached a limit, or ended because the model failed. ${NEW_RUN_HINT}`,
  'run-active': `${codeSpan('/resume')} had no effect: a run is active or about to start. ${STATUS_HINT}`,
  'written-before-end': `${codeSpan('/resume')} had no effect: it was posted before the run ended, or in the same second. Post it again.`,
} as const satisfies Record<ResumeRefusal, string>;

const MEANT_CHANGES = {
  show: { one: 'a change', all: 'The changes' },
  undo: { one: 'an applied change', all: 'The applied changes' },
} as const;

const MAX_WORD_CHARACTERS = 100;

const MAX_IDS_NAMED = 20;

export const MAX_OUTCOMES_NAMED = 30;

/** Replies to comments that had no effect: why, and what to write instead. */
export const NO_EFFECT_RENDERERS = {
  ambiguous: ({ command, isBelowQuote, pending }) =>
    joinBlocks(
      pending.length === 1
        ? `${codeSpan(`/${command}`)} had no effect: one change is pending, and your comment doesn’t name it.`
        : `${codeSpan(`/${command}`)} had no effect: several changes are pending, and it names none of them.`,
      command === 'approve' && isBelowQuote ? QUOTE_HINT : null,
      formatProposalList(pending),
      `Reply in the change’s own thread, or use ${codeSpan(`/${command} ${pending[0]?.id ?? '<id>'}`)}${command === 'show' ? '' : ` or ${codeSpan(`/${command} all`)}`}.`,
    ),
  'nothing-pending': ({ command }) =>
    `${formatCommand(command)} had no effect: no change was pending when you posted it. ${STATUS_HINT}`,
  'posted-later': ({ postedLater }) =>
    joinBlocks(
      'Your comment doesn’t cover these changes, because they were posted later or in the same second. Still pending:',
      formatProposalList(postedLater),
      'Review them, then post the command again.',
    ),
  'decided-in-threads': () =>
    `The review’s summary had no effect: its inline comments already answer every change it could apply to. ${STATUS_HINT}`,
  'unknown-ids': ({ ids, pending }) => {
    const names = ids.slice(0, MAX_IDS_NAMED).map(wordSpan).join(' or ');
    return joinBlocks(
      `${NOT_FOUND_TEXT}: no change of this pull request has the id ${names}. Nothing was decided.`,
      pending.length === 0 ? 'No change is pending.' : joinBlocks('Still pending:', formatProposalList(pending)),
      pending.length === 0 ? NEW_RUN_HINT : 'Post the command again with one of these ids.',
    );
  },
  'id-missing': ({ command, changes }) =>
    joinBlocks(
      changes.length === 0
        ? `${codeSpan(`/${command}`)} needs the id of ${MEANT_CHANGES[command].one} here, as in ${codeSpan(`/${command} <id>`)}. The last run has none.`
        : `${codeSpan(`/${command}`)} needs the id of ${MEANT_CHANGES[command].one} here, as in ${codeSpan(`/${command} ${changes[0]?.id ?? '<id>'}`)}. ${MEANT_CHANGES[command].all} of the last run, newest first:`,
      formatProposalList(changes),
    ),
  'already-decided': ({ proposals }) =>
    joinBlocks(alreadyDecidedText(proposals), `${finalityText(proposals)} ${STATUS_HINT}`),
  'edit-too-late': ({ proposals }) =>
    joinBlocks(
      alreadyDecidedText(proposals),
      `${finalityText(proposals)} To have something else, reply to the change, or quote it, with your words and without a command, or use ${codeSpan('/countersign <task>')}.`,
    ),
  'malformed-command': ({ form }) =>
    form === null
      ? `Nothing was decided: this is no command of Countersign. ${HELP_HINT}`
      : `Nothing was decided. A command stands alone on the first line of a comment, in this form: ${codeSpan(form)}. ${HELP_HINT}`,
  affirmation: ({ id }) =>
    `${codeSpan(id)} is still pending, because this reply decides nothing. To approve it, write ${codeSpan('/approve')} as the first line; ${codeSpan('/deny')} leaves the file as it is, and any other sentence says what to change.`,
  'user-edit-refused': renderUserEditRefused,
  'edited-into-command': () =>
    'An edited comment has no effect, because it might have been read before the edit. Post a new comment instead.',
  'no-run': ({ command }) => `${formatCommand(command)} had no effect: no run is active here. ${NEW_RUN_HINT}`,
  'resume-refused': ({ refusal }) => NOT_RESUMABLE_TEXT[refusal],
  'undo-refused': renderUndoRefused,
  'undo-not-editable': ({ proposals }) =>
    joinBlocks(
      'An undo is the exact reverse of a change, so you can only approve or deny it. Still pending:',
      formatProposalList(proposals),
      `For anything else, deny it and use ${codeSpan('/countersign <task>')}.`,
    ),
} as const satisfies { readonly [Kind in Reply['kind']]?: (reply: Extract<Reply, { kind: Kind }>) => string };

function alreadyDecidedText(proposals: readonly ProposalOutcome[]): string {
  return `${NOT_FOUND_TEXT}: ${formatList(proposals.slice(0, MAX_OUTCOMES_NAMED).map(describeOutcome))}.`;
}

/** Says that a decision is final. A proposal that ended undecided has none, so the reply says only that it ended. */
function finalityText(proposals: readonly ProposalOutcome[]): string {
  if (!proposals.every(({ state }) => ENDED_UNDECIDED.has(state))) return 'A decision is final.';
  return `${proposals.length === 1 ? 'It' : 'They'} can’t be decided any more.`;
}

const ENDED_UNDECIDED: ReadonlySet<ProposalState> = new Set<ProposalState>(['superseded', 'expired', 'cancelled']);

/** A command as it is written in a comment; null for one that the App does not know. */
export function formatCommand(command: CommandName | null): string {
  if (command === null) return 'A command';
  return codeSpan(command === 'task' ? '/countersign <task>' : `/${command}`);
}

/** A word of a comment as inline code. */
function wordSpan(word: string): string {
  return codeSpan(truncate(word, MAX_WORD_CHARACTERS));
}
