import type { PullRef } from '../command/intent.ts';
import type { PullFacts } from '../run/facts.ts';
import type { Task } from '../run/run.ts';
import { cleanText } from './clean-text.ts';

/** What the first message is made of. `facts` is absent only where GitHub was not asked. */
export type Opening = {
  readonly task: Task;
  readonly pull: PullRef;
  readonly facts: PullFacts | undefined;
  readonly changedPaths: readonly string[];
};

const MOST_PATHS = 200;

/** The first user message: what is known of the pull request, as JSON data, and the task as its writer's words. */
export function firstMessage(opening: Opening): string {
  const { task, pull, facts } = opening;
  const data = {
    repository: `${pull.owner}/${pull.repo}`,
    pull_request: pull.number,
    title: facts === undefined ? undefined : cleanText(facts.title).text,
    author: facts?.author?.login,
    base: facts?.baseRef,
    head: facts?.headRef,
    head_commit: facts?.headSha,
    changed_paths: opening.changedPaths.slice(0, MOST_PATHS),
    changed_paths_not_listed: notListed(opening) || undefined,
  };
  return [
    'The pull request, as data:',
    JSON.stringify(data, null, 2),
    `The task, in the words of ${task.by.login}, as a JSON string:`,
    JSON.stringify(cleanText(task.text).text),
  ].join('\n');
}

/** Counted against the whole pull request: GitHub's own list may be cut before ours. */
function notListed({ changedPaths, facts }: Opening): number {
  const all = Math.max(changedPaths.length, facts?.changedFiles ?? 0);
  return all - Math.min(changedPaths.length, MOST_PATHS);
}
