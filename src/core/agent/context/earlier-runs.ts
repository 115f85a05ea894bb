import { escapeHiddenCharacters } from '../../edits/text/unicode.ts';
import { canApprove, decidingVotes } from '../../state/proposal.ts';
import type { DecidedProposal, FinishedRun } from '../../state/run.ts';
import { CONTEXT_LIMITS, type EarlierChange, type EarlierRun } from '../../state/task-context.ts';
import { excerptOf } from '../shared/clean-text.ts';

/** An earlier run in a few lines: its task, its end, and what people decided. */
export function summarizeRun({ run, proposals }: FinishedRun): EarlierRun {
  const { earlierTask, earlierQuote, earlierAnswer, earlierChangeCount } = CONTEXT_LIMITS;
  const { task, phase, summary } = run;
  const changes = proposals.filter(({ change }) => change.op !== 'read');
  const decided = changes.filter(({ state }) => state === 'completed' || state === 'rejected');
  const shown = decided.slice(-earlierChangeCount);
  return {
    task: excerptOf(task.text, earlierTask),
    quote: task.quote === null ? null : excerptOf(task.quote, earlierQuote),
    path: task.location.at === 'thread' ? task.location.path : null,
    by: task.by.login,
    end: phase.kind === 'ended' ? phase.reason : null,
    endedBy: phase.kind === 'ended' ? (phase.by?.login ?? null) : null,
    answer: summary === null ? null : excerptOf(summary, earlierAnswer),
    changes: shown.map(summarizeChange),
    unlistedChanges: decided.length - shown.length,
  };
}

function summarizeChange(proposal: DecidedProposal): EarlierChange {
  const votes = decidingVotes(proposal);
  const what = nameOf(proposal.change);
  // The author of the pull request may deny, and tells the agent nothing.
  const reasons = votes.flatMap(({ text, permission }) => (text !== null && canApprove(permission) ? [text] : []));
  return {
    // A person asked for it, and the agent never proposed it.
    change: proposal.origin.kind === 'undo' ? `undo, which a person asked for: ${what}` : what,
    outcome: proposal.state === 'completed' ? 'applied' : 'denied',
    by: [...new Set(votes.map(({ by }) => by.login))],
    reasons: reasons.map((text) => excerptOf(text, CONTEXT_LIMITS.earlierReason)),
  };
}

function nameOf(change: DecidedProposal['change']): string {
  if (change.op === 'set') return change.members.map(nameOf).join(', ');
  const { op, path, from } = change;
  return from === null ? `${op} ${path}` : `${op} ${from} to ${path}`;
}

/** One JSON row for each run, oldest first. */
export function formatEarlierRuns(runs: readonly EarlierRun[]): string {
  return runs
    .map(({ task, quote, path, by, end, endedBy, answer, changes, unlistedChanges }) =>
      JSON.stringify({
        task,
        ...(quote === null ? {} : { quotes: quote }),
        ...(path === null ? {} : { in_thread_on: escapeHiddenCharacters(path) }),
        by,
        ended: end ?? undefined,
        ended_by: endedBy ?? undefined,
        your_last_words: answer ?? undefined,
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
