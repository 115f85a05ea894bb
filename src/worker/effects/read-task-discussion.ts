import {
  type CandidateComment,
  findCandidates,
  hideUnreadableHunks,
  isPermitted,
  pointsToComments,
  selectComments,
} from '../../core/agent/context/task-discussion.ts';
import type { Task } from '../../core/state/run.ts';
import type { PathRules } from '../../core/state/settings.ts';
import { CONTEXT_LIMITS, type PullSummary, type TaskDiscussion } from '../../core/state/task-context.ts';
import { canApprove, type Person } from '../../core/state/vote.ts';
import { byLikelyAccess } from '../../core/step/discussion.ts';
import type { GitHub, PullComment, PullRequestFile } from '../../core/step/ports.ts';
import { fetchPersonPermission } from '../jobs/gather-facts.ts';

/** The task, and the pull request where it was written; `files` is null if its changed files could not be read. */
type TaskPlace = {
  readonly task: Task;
  readonly pull: PullSummary;
  readonly files: readonly PullRequestFile[] | null;
  readonly rules: PathRules;
  /** The App's slug. */
  readonly ownLogin: string;
};

/** Reads the comments that a task can mean, and which of their authors may decide. */
export async function readTaskDiscussion(
  github: GitHub,
  { task, pull, files, rules, ownLogin }: TaskPlace,
): Promise<TaskDiscussion> {
  const comments = hideUnreadableHunks(await listComments(github, task, pull), files, rules);
  const candidates = findCandidates(task, comments, ownLogin);
  return selectComments(task, candidates, await findPermitted(github, task, candidates));
}

/** No request where the task stands alone: it begins its thread, or speaks of no comment of the conversation. */
async function listComments(github: GitHub, task: Task, pull: PullSummary): Promise<readonly PullComment[]> {
  const { location } = task;
  switch (location.at) {
    case 'thread':
      return location.commentId === location.rootId ? [] : github.listThreadComments(location.rootId);
    case 'review':
      return github.listInlineComments(location.reviewId);
    case 'conversation':
      return pointsToComments(task) ? github.listNewestComments(pull.commentCount) : [];
  }
}

/**
 * Asks for each author once, until enough comments can be shown. People who might have access come first, because many
 * accounts of strangers must not displace them.
 */
async function findPermitted(
  github: GitHub,
  task: Task,
  candidates: readonly CandidateComment[],
): Promise<ReadonlySet<Person['id']>> {
  const permitted = new Set([task.by.id]);
  const asked = new Set(permitted);
  let shown = 0;
  for (const { comment } of byLikelyAccess(candidates, (candidate) => candidate.comment.association)) {
    if (shown >= CONTEXT_LIMITS.commentCount) break;
    const { author, isAutomated } = comment;
    const isUnknown = author !== null && !isAutomated && !asked.has(author.id);
    if (isUnknown && asked.size <= CONTEXT_LIMITS.commentAuthorCount) {
      asked.add(author.id);
      if (canApprove(await fetchPersonPermission(github, author))) permitted.add(author.id);
    }
    if (isPermitted(comment, permitted)) shown += 1;
  }
  return permitted;
}
