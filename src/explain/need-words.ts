import { touchedPaths } from '../change/touched.ts';
import type { Need } from '../run/facts.ts';
import type { Judging } from '../run/judging.ts';

/** What GitHub is asked for, as words that follow “asked of GitHub next: ”. */
export function needWords(need: Need): string {
  switch (need.kind) {
    case 'permission':
      return `the permission of ${need.login} (${need.id})`;
    case 'pull-request':
      return 'the pull request';
    case 'settings':
      return 'the repository’s settings';
    case 'rules':
      return `the rules of ${[need.headRef, need.baseRef].filter((ref) => ref !== null).join(' and ')}`;
    case 'same-branch':
      return `other open pull requests whose head branch is ${need.headRef}`;
    case 'changed-paths':
      return 'the paths that the pull request changes';
    case 'review-comments':
      return `the comments of review ${need.reviewId}`;
    case 'comments':
      return `the App’s comments ${need.comments.map(({ id }) => id).join(', ')}`;
    case 'undone':
      return `${listed(touchedPaths(need.undoing.change))} at ${[need.commit, need.head].filter((sha) => sha !== null).join(' and ')}`;
    case 'files':
      return `${listed(pathsOf(need.judging))} at ${need.base} and ${need.head}`;
    case 'own-text':
      return `${need.own.change.path} at ${need.head}`;
  }
}

function listed(paths: readonly string[]): string {
  return paths.join(', ');
}

function pathsOf({ paths, moves }: Judging): readonly string[] {
  return [...paths.map(({ path }) => path), ...moves.flatMap(({ change }) => touchedPaths(change))];
}
