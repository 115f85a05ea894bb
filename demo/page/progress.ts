import type { FakeGitHub } from '../../fakes/github/fake-github.ts';
import { type PageProposal, parsePageProposals, readPullPage } from '../pull-request.ts';
import type { SceneCondition } from '../scenes/scenes.ts';
import type { Play } from './session.ts';

/** How the page of a change says that it ended. */
const ENDS = {
  applied: '**Completed:** applied',
  rejected: '**Rejected by user**',
  replaced: '**Asked for something else**',
  withdrawn: '**Withdrawn**',
} as const;

/** The changes on the pull request, oldest first. */
export function listProposals(github: FakeGitHub, play: Play): readonly PageProposal[] {
  return parsePageProposals(readPullPage(github, play));
}

/** The open change of a file. */
export function openProposalOf(github: FakeGitHub, play: Play, path: string): PageProposal | undefined {
  return listProposals(github, play).findLast((one) => one.path === path && one.isOpen);
}

/** Whether the pull request is that far. */
export function holds(condition: SceneCondition, github: FakeGitHub, play: Play): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'pending':
      return condition.paths.every((path) => openProposalOf(github, play, path) !== undefined);
    case 'ended': {
      const ended = listProposals(github, play).filter(
        ({ path, entry }) => path === condition.path && entry.body.includes(ENDS[condition.as]),
      );
      return ended.length >= (condition.count ?? 1);
    }
    case 'approvals':
      return listProposals(github, play).some(({ entry }) => entry.body.includes(`**${condition.count} of `));
    case 'proposed':
      return listProposals(github, play).filter(({ path }) => path === condition.path).length >= condition.count;
  }
}
