import { redactDiff } from '../../../lib/credentials.ts';
import { type Change, changeDiff, type FileChange, isReading, pathsOf } from '../../edits/change.ts';
import { escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { decideReading } from '../../policy/path-policy.ts';
import { decidingVotes, isInstructed } from '../../state/proposal.ts';
import { type AgentQuestion, responseOf } from '../../state/question.ts';
import type { DecidedProposal, FinishedRun } from '../../state/run.ts';
import type { PathRules } from '../../state/settings.ts';
import { CONTEXT_LIMITS, type EarlierChange, type EarlierRun } from '../../state/task-context.ts';
import { canApprove } from '../../state/vote.ts';
import { cutText, excerptOf } from '../shared/clean-text.ts';
import { escapeDiff } from './diff-excerpt.ts';

/** Earlier runs, oldest first. Of the newest one more words are kept. */
export function summarizeRuns(runs: readonly FinishedRun[], rules: PathRules): readonly EarlierRun[] {
  const { earlierAnswer, newestAnswer } = CONTEXT_LIMITS;
  return runs.map((run, index) => summarizeRun(run, index === runs.length - 1 ? newestAnswer : earlierAnswer, rules));
}

/** An earlier run in a few lines: its task, its end, and what people answered and decided. */
function summarizeRun({ run, proposals }: FinishedRun, answerBytes: number, rules: PathRules): EarlierRun {
  const { earlierTask, earlierChangeCount, earlierQuestionCount } = CONTEXT_LIMITS;
  const { task, phase, summary, questions } = run;
  const changes = proposals.filter(({ change }) => !isReading(change));
  const decided = changes.filter(({ state }) => state === 'completed' || state === 'rejected');
  const shown = decided.slice(-earlierChangeCount);
  return {
    task: excerptOf(task.text, earlierTask),
    by: task.by.login,
    end: phase.kind === 'ended' ? phase.reason : null,
    answer: summary === null ? null : excerptOf(summary, answerBytes),
    asked: questions.flatMap(summarizeQuestion).slice(-earlierQuestionCount),
    changes: shown.map((one) => toEarlierChange(one, rules)),
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

function toEarlierChange(proposal: DecidedProposal, rules: PathRules): EarlierChange {
  const what = proposal.change.members.map(nameOf).join(', ');
  const votes = decidingVotes(proposal);
  const isApplied = proposal.state === 'completed';
  return {
    // A person asked for it, and the agent never proposed it.
    change: proposal.origin.kind === 'undo' ? `undo, which a person asked for: ${what}` : what,
    outcome: isApplied ? 'applied' : isInstructed(proposal) ? 'asked for something else' : 'denied',
    lines: isApplied ? null : changedRows(proposal.change, rules),
    by: [...new Set(votes.map(({ by }) => by.login))],
    // The author of the pull request may deny, and tells the agent nothing.
    reasons: votes.flatMap(({ text, permission }) =>
      text !== null && canApprove(permission) ? [excerptOf(text, CONTEXT_LIMITS.earlierReason)] : [],
    ),
  };
}

/** The rows that a change would have removed and added; null if one of its files may not be read without approval. */
function changedRows(change: Change, rules: PathRules): string | null {
  const diff = changeDiff(change);
  const isReadable = pathsOf(change).every((path) => decideReading(rules, 'read_diff', path).kind === 'allow');
  if (diff === null || !isReadable) return null;
  const rows = escapeDiff(redactDiff(diff)).replace(FILE_HEADER, '').split('\n');
  return cutText(rows.filter((row) => /^[-+]/.test(row)).join('\n'), CONTEXT_LIMITS.earlierDiff);
}

const FILE_HEADER = /^--- .*\n\+\+\+ .*\n(?=@@)/gm;

function nameOf({ op, path, from }: FileChange): string {
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
        decided: changes.map(({ change, outcome, lines, by: deciders, reasons }) => ({
          change: escapeHiddenCharacters(change),
          outcome,
          by: deciders,
          lines: lines ?? undefined,
          ...(reasons.length === 0 ? {} : { reasons }),
        })),
        not_listed: unlistedChanges === 0 ? undefined : unlistedChanges,
      }),
    )
    .join('\n');
}
