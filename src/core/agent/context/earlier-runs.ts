import { escapeHiddenCharacters } from '../../edits/text/unicode.ts';
import { decidingVotes } from '../../state/proposal-lifecycle.ts';
import { type AgentQuestion, responseOf } from '../../state/question.ts';
import type { DecidedProposal, FinishedRun } from '../../state/run.ts';
import { CONTEXT_LIMITS, type EarlierChange, type EarlierRun } from '../../state/task-context.ts';
import { canApprove, type Vote } from '../../state/vote.ts';
import { excerptOf } from '../shared/clean-text.ts';

/** Earlier runs, oldest first. Of the newest one more words are kept. */
export function summarizeRuns(runs: readonly FinishedRun[]): readonly EarlierRun[] {
  const { earlierAnswer, newestAnswer } = CONTEXT_LIMITS;
  return runs.map((run, index) => summarizeRun(run, index === runs.length - 1 ? newestAnswer : earlierAnswer));
}

/** An earlier run in a few lines: its task, its end, and what people answered and decided. */
function summarizeRun({ run, proposals }: FinishedRun, answerBytes: number): EarlierRun {
  const { earlierTask, earlierChangeCount, earlierQuestionCount } = CONTEXT_LIMITS;
  const { task, phase, summary, questions } = run;
  const changes = proposals.filter(({ change }) => change.op !== 'read');
  const decided = changes.filter(({ state }) => state === 'completed' || state === 'rejected');
  const shown = decided.slice(-earlierChangeCount);
  return {
    task: excerptOf(task.text, earlierTask),
    by: task.by.login,
    end: phase.kind === 'ended' ? phase.reason : null,
    answer: summary === null ? null : excerptOf(summary, answerBytes),
    asked: questions.flatMap(summarizeQuestion).slice(-earlierQuestionCount),
    changes: shown.map(toEarlierChange),
    unlistedChanges: decided.length - shown.length,
  };
}

function summarizeQuestion({ prompt, answer, note, by }: AgentQuestion): EarlierRun['asked'] {
  if (answer === null || by === null) return [];
  const { earlierReason } = CONTEXT_LIMITS;
  const response = responseOf(answer);
  return [
    {
      question: excerptOf(prompt, earlierReason),
      response: excerptOf(typeof response === 'string' ? response : response.value, earlierReason),
      by: by.login,
      note: note === null ? null : excerptOf(note, earlierReason),
    },
  ];
}

function toEarlierChange(proposal: DecidedProposal): EarlierChange {
  const what = nameOf(proposal.change);
  return {
    // A person asked for it, and the agent never proposed it.
    change: proposal.origin.kind === 'undo' ? `undo, which a person asked for: ${what}` : what,
    outcome: proposal.state === 'completed' ? 'applied' : 'denied',
    by: [...new Set(decidingVotes(proposal).map(({ by }) => by.login))],
    reasons: votesWithReason(proposal).map(({ text }) => excerptOf(text ?? '', CONTEXT_LIMITS.earlierReason)),
  };
}

/** The author of the pull request may deny, and tells the agent nothing. */
function votesWithReason(proposal: DecidedProposal): readonly Vote[] {
  return decidingVotes(proposal).filter(({ text, permission }) => text !== null && canApprove(permission));
}

function nameOf(change: DecidedProposal['change']): string {
  if (change.op === 'set') return change.members.map(nameOf).join(', ');
  const { op, path, from } = change;
  return from === null ? `${op} ${path}` : `${op} ${from} to ${path}`;
}

/** One JSON row for each run, oldest first. */
export function formatEarlierRuns(runs: readonly EarlierRun[]): string {
  return runs
    .map(({ task, by, end, answer, asked, changes, unlistedChanges }) =>
      JSON.stringify({
        task,
        by,
        ended: end ?? undefined,
        your_last_words: answer ?? undefined,
        asked:
          asked.length === 0 ? undefined : asked.map(({ note, ...rest }) => ({ ...rest, note: note ?? undefined })),
        decided: changes.map(({ change, outcome, by: deciders, reasons }) => ({
          change: escapeHiddenCharacters(change),
          outcome,
          by: deciders,
          ...(reasons.length === 0 ? {} : { reasons }),
        })),
        not_listed: unlistedChanges === 0 ? undefined : unlistedChanges,
      }),
    )
    .join('\n');
}
